import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { createFcmGateway } from '../../../src/server/adapters/fcm/gateway.ts'
import { TokenBucket } from '../../../src/server/adapters/http2/token-bucket.ts'
import { systemClock } from '../../../src/server/kernel/clock.ts'
import {
  androidTarget,
  notification,
  openFcm,
  PROJECT,
  quietLog,
  sendAll,
  trustedTls,
} from '../../support/emulators/push-gateways.ts'

let tls: Awaited<ReturnType<typeof trustedTls>>
beforeAll(async () => {
  tls = await trustedTls()
})

const targets = (n: number) => Array.from({ length: n }, (_, i) => androidTarget(i))

test('a push arrives with its message', async () => {
  await using world = await openFcm(tls)
  const push = notification({ data: { parcel: 4711, text: 'x' }, imageUrl: 'https://e.com/a.png', badge: 2 })
  expect(await sendAll(world.gateway, [androidTarget(7)], push)).toEqual({ accepted: 1 })
  const [accepted] = world.fcm.requestLog.accepted
  expect(accepted?.token).toBe('fcm-token-7')
  expect(accepted?.payload).toMatchObject({
    notification: { title: 'Title', body: 'Body', image: 'https://e.com/a.png' },
    data: { parcel: '4711', text: 'x' },
    android: { priority: 'HIGH', ttl: '3600s', notification: { tag: 'collapse-1', notification_count: 2 } },
  })
})

test('the gateway accepts a payload at our limit, to the byte', async () => {
  await using world = await openFcm(tls)
  const room = (data: Record<string, unknown>) => world.gateway.prepare(notification({ data })).bytesOver
  let text = 'ä'.repeat(1900)
  while (room({ text: `${text}x` }) === 0) text += 'x'
  expect(await sendAll(world.gateway, targets(1), notification({ data: { text } }))).toEqual({ accepted: 1 })
})

test('with a wrong project, the push is rejected and the devices stay', async () => {
  await using world = await openFcm(tls, {}, {}, { projectId: 'other-project' })
  expect(await sendAll(world.gateway, targets(60))).toEqual({ 'rejected NOT_FOUND': 60 })
})

test('without the role, the push is rejected and the devices stay', async () => {
  await using world = await openFcm(tls, { unknownProject: 'PERMISSION_DENIED' }, {}, { projectId: 'other' })
  expect(await sendAll(world.gateway, targets(60))).toEqual({ 'rejected PERMISSION_DENIED': 60 })
})

test.each([
  ['UNREGISTERED', 'gone UNREGISTERED'],
  ['SENDER_ID_MISMATCH', 'suspect SENDER_ID_MISMATCH'],
  ['INVALID_TOKEN', 'suspect INVALID_ARGUMENT'],
  ['INTERNAL', 'retry INTERNAL'],
  ['UNAVAILABLE', 'retry UNAVAILABLE'],
  ['QUOTA_EXCEEDED', 'retry QUOTA_EXCEEDED'],
])('the gateway says %s: %s', async (reason, expected) => {
  await using world = await openFcm(tls)
  world.fcm.faults.add({ do: { kind: 'reject', reason } })
  expect(await sendAll(world.gateway, targets(1))).toEqual({ [expected]: 1 })
})

test('429 with Retry-After becomes a retry with its wait', async () => {
  await using world = await openFcm(tls)
  world.fcm.faults.add({ do: { kind: 'reject', reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 7 } })
  const outcome = await world.gateway.send(world.gateway.prepare(notification()), androidTarget())
  expect(outcome).toEqual({ kind: 'retry', reason: 'QUOTA_EXCEEDED', afterMs: 7000 })
})

test('a project over its quota pauses the sender: few of many pushes are sent, and all become retries with a wait', async () => {
  await using world = await openFcm(tls, {}, { maxInFlight: 100 })
  await sendAll(world.gateway, targets(1))
  world.fcm.faults.add({ do: { kind: 'reject', reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 10 } })
  expect(await sendAll(world.gateway, targets(5000))).toEqual({ 'retry QUOTA_EXCEEDED': 5000 })
  expect(world.fcm.requestLog.counts.rejected).toBeLessThan(300)
  world.fcm.faults.reset()
  expect(await world.gateway.send(world.gateway.prepare(notification()), androidTarget())).toMatchObject({
    kind: 'retry',
    afterMs: expect.any(Number),
  })
  await expect.poll(() => sendAll(world.gateway, targets(1))).toEqual({ accepted: 1 })
})

test('single devices over their own quota do not delay the others', async () => {
  await using world = await openFcm(tls)
  world.fcm.faults.add({ rate: 0.5, do: { kind: 'reject', reason: 'QUOTA_EXCEEDED', retryAfterSeconds: 60 } })
  const counts = await sendAll(world.gateway, targets(1000))
  expect(counts.accepted).toBe(world.fcm.requestLog.counts.accepted)
  expect(world.fcm.requestLog.counts.accepted + world.fcm.requestLog.counts.rejected).toBe(1000)
})

test('the rate limit holds: sends above it wait for the token bucket', async () => {
  await using world = await openFcm(tls, {}, { rate: { perMinute: 6000, burst: 10 } })
  const startedAt = performance.now()
  expect(await sendAll(world.gateway, targets(60))).toEqual({ accepted: 60 })
  // 50 sends beyond the burst, at 99.8 per second.
  expect(performance.now() - startedAt).toBeGreaterThan(450)
})

test('gateways of the same project share its rate', async () => {
  // One more token per minute.
  const rate = new TokenBucket({ perMinute: 11, burst: 10 }, performance.now())
  await using one = await openFcm(tls, {}, { rate })
  await using other = await openFcm(tls, {}, { rate })
  for (const { gateway } of [one, other]) expect(await sendAll(gateway, targets(5))).toEqual({ accepted: 5 })
  expect(rate.take(performance.now())).toBe(false)
})

test('revoked access tokens are replaced by one new one, and every push arrives', async () => {
  await using world = await openFcm(tls, { settings: { latencyMs: 5 } })
  expect(await sendAll(world.gateway, targets(10))).toEqual({ accepted: 10 })
  world.fcm.requestLog.clear()
  world.fcm.tokens.revokeAll()
  expect(await sendAll(world.gateway, targets(1000))).toEqual({ accepted: 1000 })
  expect(world.fcm.requestLog.counts.credentials).toBe(1)
  expect(world.fcm.requestLog.histogram()).toEqual({ 1: 1000 })
})

/** Creates credentials whose token endpoint the test controls. FCM itself is the emulator. */
async function withTokenEndpoint(answer: (n: number) => { status: number; body: string }, plain = false) {
  let asked = 0
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const { status, body } = answer(++asked)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = (server.address() as AddressInfo).port
  const subject = join(tls.dir, `subject-${port}`)
  await writeFile(subject, 'subject')
  const credentialsFile = join(tls.dir, `credentials-${port}.json`)
  await writeFile(
    credentialsFile,
    JSON.stringify({
      type: 'external_account',
      audience: '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/p/providers/x',
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      token_url: `http://127.0.0.1:${port}/token`,
      credential_source: { file: subject },
    }),
  )
  const world = await openFcm(tls, { plain, validAccessTokens: ['good'] })
  const log = quietLog()
  const gateway = createFcmGateway(
    { projectId: PROJECT, endpoint: world.fcm.url, credentialsFile },
    { log, clock: systemClock },
  )
  const close = async () => {
    await gateway.close()
    await world.close()
    await new Promise((resolve) => server.close(resolve))
  }
  return { ...world, gateway, log, asked: () => asked, [Symbol.asyncDispose]: close }
}

const token = (value: string) => ({
  status: 200,
  body: JSON.stringify({
    access_token: value,
    issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    token_type: 'Bearer',
    expires_in: 3600,
  }),
})

test('credentials with only a token endpoint work, without a lookup of the project', async () => {
  await using world = await withTokenEndpoint(() => token('good'))
  expect(await sendAll(world.gateway, targets(5))).toEqual({ accepted: 5 })
  expect(world.asked()).toBe(1)
})

test.each([
  ['says 400', { status: 400, body: '{"error":"invalid_grant"}' }],
  ['returns no token', { status: 200, body: '{}' }],
  ['returns an HTML page', { status: 200, body: '<html>' }],
])(
  'a token endpoint that %s causes a retry with a wait, and one log line without secrets',
  async (_name, answer) => {
    await using world = await withTokenEndpoint(() => answer)
    expect(await sendAll(world.gateway, targets(100))).toEqual({ 'retry NO_ACCESS_TOKEN': 100 })
    expect(world.log.lines.length).toBe(1)
    expect(JSON.stringify(world.log.lines)).not.toContain('subject_token')
    expect(world.asked()).toBeLessThanOrEqual(4)
  },
)

test('a token endpoint that recovers is used again', async () => {
  await using world = await withTokenEndpoint((n) => (n > 1 ? token('good') : { status: 400, body: '{}' }))
  expect(await sendAll(world.gateway, targets(1))).toEqual({ 'retry NO_ACCESS_TOKEN': 1 })
  await expect.poll(() => sendAll(world.gateway, targets(1))).toEqual({ accepted: 1 })
})

test('access tokens that FCM always rejects cause retries, but few requests to the token endpoint', async () => {
  await using world = await withTokenEndpoint((n) => token(`bad-${n}`))
  expect(await sendAll(world.gateway, targets(200))).toEqual({ 'retry UNAUTHENTICATED': 200 })
  expect(world.asked()).toBeLessThanOrEqual(3)
})

test('a push that cannot be written as a request is rejected, not retried forever', async () => {
  await using world = await withTokenEndpoint(() => token('two\nlines'), true)
  expect(await sendAll(world.gateway, targets(3))).toEqual({ 'rejected UNSENDABLE': 3 })
})

test('credentials of an unknown type fail at startup, with the types that are supported', async () => {
  const credentialsFile = join(tls.dir, 'odd.json')
  await writeFile(credentialsFile, '{"type":"gdch_service_account"}')
  const make = () =>
    createFcmGateway(
      { projectId: PROJECT, endpoint: 'https://127.0.0.1:1', credentialsFile },
      { log: quietLog(), clock: systemClock },
    )
  expect(make).toThrow(/gdch_service_account.*service_account, authorized_user or external_account/)
})
