import type {
  AcceptedPush,
  FaultAction,
  FaultScript,
  RequestLog,
  RequestLogCounts,
} from '@pigeonhole/emulators/apns'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Gateway, Target } from '../../../src/server/domain/push/delivery/gateway.ts'
import {
  androidTarget,
  iosTarget,
  notification,
  openApns,
  openFcm,
  sendAll,
  trustedTls,
} from '../../support/emulators/push-gateways.ts'

let tls: Awaited<ReturnType<typeof trustedTls>>
beforeAll(async () => {
  tls = await trustedTls()
})

type World = {
  gateway: Gateway
  requestLog: Pick<RequestLog<AcceptedPush>, 'counts' | 'accepted' | 'histogram' | 'clear'> & {
    waitFor(predicate: (requestLog: { counts: RequestLogCounts }) => boolean): Promise<void>
  }
  faults: FaultScript
  goAway(): void
  targets(n: number): Target[]
  log: { lines: Array<{ message: string }> }
  [Symbol.asyncDispose](): Promise<void>
}
type Change = { timeoutMs?: number; maxInFlight?: number; settings?: object }

const row = (make: (n: number) => Target) => (n: number) => Array.from({ length: n }, (_, i) => make(i))

async function apnsWorld({ settings, ...options }: Change = {}): Promise<World> {
  const world = await openApns(tls, { ...(settings && { settings }) }, options)
  const { requestLog, faults } = world.apns
  return {
    ...world,
    requestLog,
    faults,
    goAway: () => world.apns.goAway(),
    targets: row((i) => iosTarget(i)),
  }
}

async function fcmWorld({ settings, ...options }: Change = {}, plain = false): Promise<World> {
  const world = await openFcm(tls, { plain, ...(settings && { settings }) }, options)
  const { requestLog, faults } = world.fcm
  return {
    ...world,
    requestLog,
    faults,
    goAway: () => world.fcm.goAway(),
    targets: row((i) => androidTarget(i)),
  }
}

const PEERS: Array<[string, (change?: Change) => Promise<World>]> = [
  ['APNs', apnsWorld],
  ['FCM over HTTP/2', (change) => fcmWorld(change)],
]
const ALL_PEERS: typeof PEERS = [...PEERS, ['FCM over HTTP/1.1', (change) => fcmWorld(change, true)]]

/** Sends to each target until it is settled, as the domain does. Returns the number of attempts by outcome. */
async function sendUntilSettled(gateway: Gateway, targets: Target[]): Promise<Record<string, number>> {
  const prepared = gateway.prepare(notification())
  const counts: Record<string, number> = {}
  await Promise.all(
    targets.map(async (target) => {
      for (;;) {
        const outcome = await gateway.send(prepared, target)
        const name = outcome.kind === 'accepted' ? 'accepted' : `${outcome.kind} ${outcome.reason}`
        counts[name] = (counts[name] ?? 0) + 1
        if (outcome.kind !== 'retry') return
        await new Promise((resolve) => setTimeout(resolve, outcome.afterMs ?? 10))
      }
    }),
  )
  return counts
}

describe.each(ALL_PEERS)('%s', (name, open) => {
  // A sender without a limit loses requests beyond about 7,000 on HTTP/2. HTTP/1.1 has one request per connection.
  const count = name.includes('1.1') ? 1_000 : 8_000
  test(`${count} sends at once: each is accepted once`, async () => {
    await using world = await open()
    expect(await sendAll(world.gateway, world.targets(count))).toEqual({ accepted: count })
    expect(world.requestLog.histogram()).toEqual({ 1: count })
  })

  test('if the connection breaks before a push is accepted, the push is retried: no loss, no duplicate', async () => {
    await using world = await open()
    world.faults.add({ first: 3, do: { kind: 'disconnect' } })
    const counts = await sendUntilSettled(world.gateway, world.targets(300))
    expect(counts.accepted).toBe(300)
    expect(counts['retry CONNECTION_LOST']).toBeGreaterThanOrEqual(1)
    expect(world.requestLog.counts.devices).toBe(300)
  })

  test('if the connection breaks after a push was accepted, the retry has the same collapse ID', async () => {
    await using world = await open()
    await sendAll(world.gateway, world.targets(1))
    world.requestLog.clear()
    world.faults.add({ first: 1, do: { kind: 'disconnect', accepted: true } })
    const counts = await sendUntilSettled(world.gateway, world.targets(1))
    expect(counts).toEqual({ 'retry CONNECTION_LOST': 1, accepted: 1 })
    const identities = world.requestLog.accepted.map((push) => {
      const { android } = push.payload as { android?: { notification: { tag: string } } }
      return push.headers['apns-collapse-id'] ?? android?.notification.tag
    })
    expect(identities).toEqual(['collapse-1', 'collapse-1'])
  })

  test('a gateway that does not respond: TIMEOUT, but only for requests on a stream', async () => {
    // Long enough for the other requests on a busy machine.
    const timeoutMs = 3_000
    await using world = await open({ timeoutMs, settings: { latencyMs: 20 } })
    expect(await sendAll(world.gateway, world.targets(1))).toEqual({ accepted: 1 })
    world.faults.add({ device: world.targets(3)[2]!.token, do: { kind: 'hold' } })
    expect(await sendAll(world.gateway, world.targets(50))).toEqual({ accepted: 49, 'retry TIMEOUT': 1 })
    // Requests that wait longer than the limit for a stream do not fail.
    await using limited = await open({ timeoutMs, maxInFlight: 1, settings: { latencyMs: 250 } })
    expect(await sendAll(limited.gateway, limited.targets(14))).toEqual({ accepted: 14 })
  })

  test('no more requests are in flight than allowed', async () => {
    await using world = await open({ maxInFlight: 7, settings: { latencyMs: 5 } })
    expect(await sendAll(world.gateway, world.targets(200))).toEqual({ accepted: 200 })
    expect(world.requestLog.counts.maxInFlight).toBe(7)
  })

  test('closing lets requests in flight finish and fails the queued ones', async () => {
    await using world = await open({ maxInFlight: 10 })
    await sendAll(world.gateway, world.targets(1))
    world.faults.set({ latencyMs: 2000 })
    const all = sendAll(world.gateway, world.targets(100))
    await expect.poll(() => world.requestLog.counts.inFlight).toBe(10)
    await world.gateway.close()
    expect(await all).toEqual({ accepted: 10, 'retry SHUTTING_DOWN': 90 })
    expect(world.requestLog.counts.unanswered).toBe(0)
    expect(await sendAll(world.gateway, world.targets(1))).toEqual({ 'retry SHUTTING_DOWN': 1 })
  })
})

describe.each(PEERS)('%s', (_name, open) => {
  test.each<[string, FaultAction]>([
    ['RST_STREAM with INTERNAL_ERROR', { kind: 'reset', code: 2 }],
    ['RST_STREAM with CANCEL', { kind: 'reset', code: 8 }],
    ['RST_STREAM with ENHANCE_YOUR_CALM', { kind: 'reset', code: 11 }],
  ])('%s: the push is retried, and other streams continue', async (_what, action) => {
    await using world = await open()
    await sendAll(world.gateway, world.targets(1))
    world.faults.add({ first: 5, do: action })
    expect(await sendAll(world.gateway, world.targets(100))).toEqual({
      accepted: 95,
      'retry CONNECTION_LOST': 5,
    })
  })

  test('REFUSED_STREAM: the push is sent again at once, because the gateway has not processed it', async () => {
    await using world = await open()
    await sendAll(world.gateway, world.targets(1))
    world.faults.add({ firstPerDevice: 1, do: { kind: 'reset', code: 7 } })
    expect(await sendAll(world.gateway, world.targets(100))).toEqual({ accepted: 100 })
  })

  test('repeated REFUSED_STREAM becomes a retry', async () => {
    await using world = await open()
    await sendAll(world.gateway, world.targets(1))
    world.faults.add({ do: { kind: 'reset', code: 7 } })
    expect(await sendAll(world.gateway, world.targets(5))).toEqual({ 'retry STREAM_REFUSED': 5 })
  })

  test('GOAWAY with every 100th request: no loss, no duplicate, no retry by the caller', async () => {
    await using world = await open({ settings: { goAwayAfter: 100, latencyMs: 5 } })
    expect(await sendAll(world.gateway, world.targets(1_000))).toEqual({ accepted: 1_000 })
    expect(world.requestLog.histogram()).toEqual({ 1: 1_000 })
    expect(world.requestLog.counts.connectionsOpened).toBeGreaterThanOrEqual(10)
  })

  test('GOAWAY while requests are in flight: accepted ones get a response, the rest move to a new connection', async () => {
    await using world = await open({ settings: { latencyMs: 50 } })
    await sendAll(world.gateway, world.targets(1))
    const all = sendAll(world.gateway, world.targets(600))
    await expect.poll(() => world.requestLog.counts.inFlight).toBeGreaterThan(50)
    world.goAway()
    expect(await all).toEqual({ accepted: 600 })
    expect(world.requestLog.counts).toMatchObject({ devices: 600, unanswered: 0 })
  })

  test('the stream limit falls to 1 on open connections and rises again: no push is lost', async () => {
    await using world = await open({ settings: { latencyMs: 2 } })
    await sendAll(world.gateway, world.targets(500))
    world.faults.set({ maxConcurrentStreams: 1 })
    world.requestLog.clear()
    const all = sendAll(world.gateway, world.targets(400))
    await world.requestLog.waitFor((requestLog) => requestLog.counts.accepted > 100)
    world.faults.set({ maxConcurrentStreams: 100 })
    expect(await all).toEqual({ accepted: 400 })
    expect(world.requestLog.histogram()).toEqual({ 1: 400 })
  })

  test('while a gateway is down, sends fail at once with a wait and few connection attempts; later they succeed', async () => {
    await using world = await open()
    await sendAll(world.gateway, world.targets(1))
    world.faults.set({ refuseConnections: true })
    world.faults.add({ first: 1, do: { kind: 'disconnect' } })
    const counts = await sendAll(world.gateway, world.targets(2_000))
    expect(counts.accepted).toBeUndefined()
    expect(counts['retry UNREACHABLE']).toBeGreaterThanOrEqual(1_000)
    world.faults.set({ refuseConnections: false })
    expect((await sendUntilSettled(world.gateway, world.targets(100))).accepted).toBe(100)
    expect(world.log.lines.filter((line) => line.message.includes('not reachable')).length).toBeLessThan(6)
  })
})
