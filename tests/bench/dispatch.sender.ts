/**
 * Child process of the dispatch benchmark. Sends `count` pushes with one client and prints their results.
 * Every client has the same connections (2 to APNs; 100 streams each to FCM) and at most 2,000 in flight.
 * Measures the sender's CPU from process.cpuUsage.
 */
import { readFileSync } from 'node:fs'
import type { ClientHttp2Session, OutgoingHttpHeaders } from 'node:http2'
import type { Gateway, Outcome, Target } from '../../src/server/domain/push/delivery/gateway.ts'
import type { Notification } from '../../src/server/domain/push/messages/notification.ts'

export type SenderInput = {
  client: string
  count: number
  /** Pushes sent before the clock starts. */
  warmUp: number
  /** Pushes that wait or are in flight, per gateway; default 2,000: the 4 chunks of 500 of a broadcast. */
  inProgress?: number
  apns: {
    url: string
    port: number
    keyFile: string
    teamId: string
    keyId: string
    topic: string
    caFile: string
  }
  fcm: { url: string; projectId: string; credentialsFile: string }
  /** If set, a third of the pushes go to browsers. */
  webPush?: {
    url: string
    publicKey: string
    privateKey: string
    subscription: { p256dh: string; auth: string }
  }
}
export type SenderOutput = {
  seconds: number
  accepted: number
  other: Record<string, number>
  cpuSeconds: number
  rssMb: number
}

const input = JSON.parse(process.argv[2]!) as SenderInput
const iosToken = (n: number) => n.toString(16).padStart(64, '0')
/** UUIDs like those of the server. */
const deviceId = (n: number) => `01980000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`
const androidToken = (n: number) => `${n.toString(36).padStart(22, 'd')}:${'A'.repeat(130)}`
const message = {
  messageId: '01980000-0000-7000-8000-000000000000',
  title: 'Your parcel has arrived',
  body: 'It waits for you at the counter until Saturday, 6 pm.',
  data: { parcel: 'P-4711', screen: 'parcel/4711' },
  category: 'general',
  collapseId: '01980000-0000-7000-8000-000000000000',
  expiresAt: new Date(Date.now() + 86_400_000),
  priority: 'high',
} satisfies Notification

type Outcomes = Record<string, number>
/** Sends all pushes. Resolves with the number of each outcome. */
type Client = { sendAll(count: number): Promise<Outcomes>; close(): Promise<void> }
/** One gateway: the token of push `n`, how it is sent, and the name of the result. */
type Lane<T> = {
  token(n: number): string
  send(token: string, n: number): Promise<T>
  nameOf(result: T): string
}

/** Sends an equal number of pushes to each gateway and starts the next one when one has its outcome. */
async function sendInLanes<T>(lanes: Lane<T>[], count: number): Promise<Outcomes> {
  const { inProgress = 2000 } = input
  const outcomes: Outcomes = {}
  const sendLane = async ({ token, send, nameOf }: Lane<T>, index: number) => {
    let next = index
    const worker = async () => {
      while (next < count) {
        const n = next
        next += lanes.length
        const outcome = nameOf(await send(token(n), n))
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1
      }
    }
    await Promise.all(Array.from({ length: Math.min(inProgress, count) }, worker))
  }
  await Promise.all(lanes.map(sendLane))
  return outcomes
}

const clients: Record<string, () => Promise<Client>> = {
  pigeonhole: () => pigeonhole(),
  'node:http2': () => plain(),
  apns2: () => shippedApns2(),
  'node-apn': () => nodeApn(),
}

async function pigeonhole(): Promise<Client> {
  const { createApnsGateway } = await import('../../src/server/adapters/apns/gateway.ts')
  const { createFcmGateway } = await import('../../src/server/adapters/fcm/gateway.ts')
  const { systemClock } = await import('../../src/server/kernel/clock.ts')
  const log = { debug: console.error, info: console.error, warn: console.error, error: console.error }
  const { apns, fcm } = input
  const privateKey = readFileSync(apns.keyFile, 'utf8')
  const ios = createApnsGateway(
    { ...apns, privateKey, endpoint: apns.url, sandboxEndpoint: apns.url },
    { log, clock: systemClock },
  )
  const android = createFcmGateway(
    { ...fcm, endpoint: fcm.url },
    // FCM's quota would limit this benchmark.
    { log, clock: systemClock, rate: { perMinute: 60_000_000 } },
  )
  const web = await webPushGateway()
  const nameOf = (outcome: Outcome) =>
    outcome.kind === 'accepted' ? 'accepted' : `${outcome.kind} ${outcome.reason}`
  type Destination = Omit<Target, 'token' | 'deviceId'>
  const lane = (gateway: Gateway, token: (n: number) => string, destination: Destination): Lane<Outcome> => {
    const prepared = gateway.prepare(message)
    return {
      token,
      send: (token, n) => gateway.send(prepared, { ...destination, deviceId: deviceId(n), token }),
      nameOf,
    }
  }
  return {
    sendAll(count) {
      const environment = 'production'
      const lanes = [
        lane(ios, iosToken, { platform: 'ios', environment }),
        lane(android, androidToken, { platform: 'android', environment }),
      ]
      if (web)
        lanes.push(lane(web.gateway, web.token, { platform: 'web', environment, webPush: web.subscription }))
      return sendInLanes(lanes, count)
    },
    async close() {
      await Promise.all([ios.close(), android.close(), web?.gateway.close()])
    },
  }
}

async function webPushGateway() {
  if (!input.webPush) return undefined
  const { createWebPushGateway } = await import('../../src/server/adapters/web-push/gateway.ts')
  const { createEndpointAddresses } = await import('../../src/server/adapters/web-push/endpoint-addresses.ts')
  const { systemClock } = await import('../../src/server/kernel/clock.ts')
  const { url, subscription, ...keys } = input.webPush
  const log = { debug: console.error, info: console.error, warn: console.error, error: console.error }
  const hosts = [new URL(url).host]
  const addresses = createEndpointAddresses({ hosts, allowPrivate: true })
  const gateway = createWebPushGateway(
    { ...keys, subject: 'mailto:bench@example.com', hosts, origin: url },
    { log, clock: systemClock, addresses },
  )
  return {
    gateway,
    token: (n: number) => `${url}/push/${n}`,
    subscription: { ...subscription, service: 'other' } as const,
  }
}

/** The upper bound: node:http2 with only a limit on requests in flight. */
async function plain(): Promise<Client> {
  const { connect } = await import('node:http2')
  const { apns, fcm } = input
  const { fetchAccessTokenWith } = await import('../../src/server/adapters/fcm/credentials.ts')
  const { createProviderToken } = await import('../../src/server/adapters/apns/provider-token.ts')
  const accessToken = await fetchAccessTokenWith(fcm)()
  const privateKey = readFileSync(apns.keyFile, 'utf8')
  const providerToken = createProviderToken({ ...apns, privateKey }, { now: () => new Date() }).current()
  const open = (url: string, many: number) => Array.from({ length: many }, () => connect(url))
  const apnsSessions = open(apns.url, 2)
  const fcmSessions = open(fcm.url, 20)
  const sessions = [...apnsSessions, ...fcmSessions]
  await Promise.all(sessions.map((s) => new Promise((resolve) => s.once('remoteSettings', resolve))))
  const apnsHeaders = {
    ':method': 'POST',
    'apns-topic': apns.topic,
    'apns-push-type': 'alert',
    'apns-priority': '10',
    'apns-expiration': '0',
    'apns-collapse-id': message.collapseId,
    authorization: `bearer ${providerToken}`,
  }
  const apnsBody = JSON.stringify({
    aps: { alert: { title: message.title, body: message.body } },
    ...message.data,
  })
  const fcmHeaders = {
    ':method': 'POST',
    ':path': `/v1/projects/${fcm.projectId}/messages:send`,
    'content-type': 'application/json',
    authorization: `Bearer ${accessToken.value}`,
  }
  const [before, after] = JSON.stringify({
    message: {
      token: '|',
      notification: { title: message.title, body: message.body },
      data: message.data,
      android: { priority: 'HIGH', ttl: '86400s', notification: { tag: message.collapseId } },
    },
  }).split('|')

  const post = (sessions: ClientHttp2Session[], n: number, headers: OutgoingHttpHeaders, body: string) =>
    new Promise<number>((resolve) => {
      const stream = sessions[(n >> 1) % sessions.length]!.request(headers)
      let status = 0
      stream.on('response', (headers) => {
        status = Number(headers[':status'])
      })
      stream.on('error', () => resolve(-1))
      stream.on('end', () => resolve(status))
      stream.resume()
      stream.end(body)
    })
  const nameOf = (status: number) => (status === 200 ? 'accepted' : `status ${status}`)
  const lanes: Lane<number>[] = [
    {
      token: iosToken,
      nameOf,
      send: (token, n) => post(apnsSessions, n, { ...apnsHeaders, ':path': `/3/device/${token}` }, apnsBody),
    },
    {
      token: androidToken,
      nameOf,
      send: (token, n) => post(fcmSessions, n, fcmHeaders, `${before}${token}${after}`),
    },
  ]

  return {
    sendAll: (count) => sendInLanes(lanes, count),
    async close() {
      for (const session of sessions) session.close()
    },
  }
}

async function shippedApns2(): Promise<Client> {
  const { ApnsClient, Notification: ApnsNotification } = await import('apns2')
  const { Pool } = await import('undici')
  const { apns } = input
  const client = new ApnsClient({
    host: '127.0.0.1',
    team: apns.teamId,
    keyId: apns.keyId,
    signingKey: readFileSync(apns.keyFile, 'utf8'),
    defaultTopic: apns.topic,
  })
  // apns2 can only reach port 443. Use the same pool, of the undici that it ships with, with our port.
  const made = client as unknown as { client: { constructor: typeof Pool } }
  const ShippedPool = made.client.constructor
  Object.assign(client, {
    client: new ShippedPool(apns.url, {
      connections: 32,
      pipelining: 1,
      allowH2: true,
      maxConcurrentStreams: 100,
    } as ConstructorParameters<typeof Pool>[1]),
  })
  return {
    async sendAll(count) {
      const list = Array.from(
        { length: count },
        (_, n) =>
          new ApnsNotification(iosToken(n), {
            alert: { title: message.title, body: message.body },
            data: message.data,
          }),
      )
      const results = await client.sendMany(list)
      const failed = results.filter((result) => 'error' in result).length
      return { accepted: count - failed, ...(failed > 0 && { failed }) }
    },
    close: () => client.destroy(),
  }
}

async function nodeApn(): Promise<Client> {
  const { default: apn } = await import('@parse/node-apn')
  const { apns } = input
  const provider = new apn.Provider({
    token: { key: apns.keyFile, keyId: apns.keyId, teamId: apns.teamId },
    address: '127.0.0.1',
    port: apns.port,
    ca: readFileSync(apns.caFile),
  } as unknown as ConstructorParameters<typeof apn.Provider>[0])
  return {
    async sendAll(count) {
      const note = new apn.Notification({
        alert: { title: message.title, body: message.body },
        topic: apns.topic,
      })
      note.payload = message.data
      const result = await provider.send(
        note,
        Array.from({ length: count }, (_, n) => iosToken(n)),
      )
      const failed = result.failed.length
      return { accepted: result.sent.length, ...(failed > 0 && { failed }) }
    },
    close: async () => provider.shutdown(),
  }
}

const client = await clients[input.client]!()
// Warm up connections, code and credentials before the clock starts.
await client.sendAll(input.warmUp)
const cpu = process.cpuUsage()
const startedAt = performance.now()
const outcomes = await client.sendAll(input.count)
const seconds = (performance.now() - startedAt) / 1000
const { user, system } = process.cpuUsage(cpu)
const { accepted = 0, ...other } = outcomes
console.log(
  JSON.stringify({
    seconds,
    accepted,
    other,
    cpuSeconds: (user + system) / 1e6,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  } satisfies SenderOutput),
)
await client.close()
process.exit(0)
