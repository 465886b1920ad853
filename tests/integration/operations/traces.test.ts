// OpenTelemetry traces of the built server, as a collector receives them. logs-secrets.test.ts checks that they contain
// no secrets; import-rules.test.ts checks that the libraries are loaded only if traces are enabled.

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { png, put } from '../../support/app/upload-app.ts'
import {
  type CollectedSpan,
  KIND,
  type OtlpCollector,
  startOtlpCollector,
} from '../../support/emulators/otlp-collector.ts'
import { ADMIN_SECRET, type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

let collector: OtlpCollector
let server: BuiltServer
let user: TestUser
/** The `traceparent` of calls to the store, whose emulator runs in this process. */
const storeTraceparents: string[] = []
const onRequest = (message: unknown) => {
  const { headers, socket } = (message as { request: IncomingMessage }).request
  if (String(socket.localPort) === new URL(server.stack.s3.url).port && headers.traceparent)
    storeTraceparents.push(String(headers.traceparent))
}

beforeAll(async () => {
  collector = await startOtlpCollector()
  server = await startBuiltServer({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'holes',
    OTEL_BSP_SCHEDULE_DELAY: '50',
    WEBHOOKS_ALLOW_PRIVATE: 'true',
  })
  user = await server.user()
  subscribe('http.server.request.start', onRequest)
})
afterAll(async () => {
  unsubscribe('http.server.request.start', onRequest)
  await server?.close()
  await collector?.close()
})

/** Creates a caller's trace, which the server's trace continues. */
const caller = (digit: string) => ({ traceId: digit.repeat(32), spanId: digit.repeat(16) })
const traceparent = ({ traceId, spanId }: ReturnType<typeof caller>) => `00-${traceId}-${spanId}-01`

/** Returns all spans of a trace once its first one, the request, has arrived. */
async function traceOf({ traceId, spanId }: ReturnType<typeof caller>): Promise<CollectedSpan[]> {
  const spans = () => collector.spans.filter((span) => span.traceId === traceId)
  await until('the request has arrived', async () => spans().some((span) => span.parentSpanId === spanId))
  return spans()
}

/** Returns the names of the spans from this one up to the request. */
function pathOf(span: CollectedSpan, all: CollectedSpan[]): string[] {
  const parent = all.find(({ spanId }) => spanId === span.parentSpanId)
  return [span.name, ...(parent ? pathOf(parent, all) : [])]
}

test('an upload: request, procedure, statements and store calls, each under its caller', async () => {
  const started = await server.ok(user, 'upload.requestUploadUrl', {
    filename: 'a.png',
    mimeType: 'image/png',
    size: 500,
  })
  expect((await put(started.uploadUrl, png(500), started.headers)).status).toBe(200)
  const before = storeTraceparents.length
  const from = caller('a')
  const answer = await fetch(`${server.url}/api/trpc/upload.confirmUpload`, {
    method: 'POST',
    headers: { ...user.headers, 'content-type': 'application/json', traceparent: traceparent(from) },
    body: JSON.stringify({ fileId: started.fileId }),
  })
  expect(answer.status).toBe(200)
  const requestId = answer.headers.get('x-request-id')

  const spans = await traceOf(from)
  const request = spans.find(({ kind }) => kind === KIND.server)!
  expect(request).toMatchObject({
    name: 'POST /api/trpc/[trpc]',
    parentSpanId: from.spanId,
    service: 'holes',
    attributes: {
      'http.route': '/api/trpc/[trpc]',
      'http.request.method': 'POST',
      'http.response.status_code': 200,
    },
  })
  // Response, log and all spans have the same ID.
  expect(new Set(spans.map(({ attributes }) => attributes['pigeonhole.request_id']))).toEqual(
    new Set([requestId]),
  )
  const logged = server.log.map((line) => JSON.parse(line)).find((line) => line.requestId === requestId)
  expect(logged.traceId).toBe(from.traceId)

  const paths = spans.map((span) => pathOf(span, spans))
  for (const name of ['UPDATE files', 'S3 head', 'S3 inspect', 'S3 copy', 'S3 remove'])
    expect(paths).toContainEqual([name, 'upload.confirmUpload', 'POST /api/trpc/[trpc]'])
  for (const { kind, name } of spans)
    expect(kind, name).toBe(
      name.startsWith('POST') ? KIND.server : name.startsWith('upload.') ? KIND.internal : KIND.client,
    )

  // The store's requests carry the trace, so the store can continue it.
  const sentParents = storeTraceparents.slice(before).map((header) => header.split('-'))
  const s3 = spans.filter(({ name }) => name.startsWith('S3 ')).map(({ spanId }) => spanId)
  expect(new Set(sentParents.map(([, traceId]) => traceId))).toEqual(new Set([from.traceId]))
  expect(new Set(sentParents.map(([, , spanId]) => spanId))).toEqual(new Set(s3))
})

test('a push: one span per gateway with its response; failed spans are marked', async () => {
  await server.ok(user, 'devices.register', { platform: 'ios', token: 'ab'.repeat(32) })
  await server.ok(user, 'devices.register', { platform: 'android', token: 'a-phone' })
  server.stack.fcm.faults.add({ do: { kind: 'reject', reason: 'SENDER_ID_MISMATCH' } })
  const { body } = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'traces' })
  const from = caller('b')
  const sent = await server.post(
    '/api/push/send',
    body.token,
    { title: 'a', body: 'b' },
    { traceparent: traceparent(from) },
  )
  expect(sent.body).toMatchObject({ sent: 1, removed: 1 })

  const spans = await traceOf(from)
  const pushes = spans.filter(({ name }) => name.startsWith('push '))
  expect(pushes.map((span) => pathOf(span, spans)).sort()).toEqual([
    ['push android', 'POST /api/push/send'],
    ['push ios', 'POST /api/push/send'],
  ])
  const outcomes = pushes.map(({ name, attributes }) => [
    name,
    attributes['pigeonhole.outcome'],
    attributes['pigeonhole.reason'],
  ])
  expect(outcomes.sort()).toEqual([
    ['push android', 'suspect', 'SENDER_ID_MISMATCH'],
    ['push ios', 'accepted', undefined],
  ])
  expect(spans.some(({ name }) => name.includes('push_messages'))).toBe(true)
})

test('an attempt to deliver a webhook: a separate trace, with the event and the result', async () => {
  let status = 500
  const receiver = createServer((_request, answer) => void answer.writeHead(status).end()).listen(
    0,
    '127.0.0.1',
  )
  await new Promise((resolve) => receiver.once('listening', resolve))
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
  const created = await server.post('/api/admin/webhooks', ADMIN_SECRET, { url, events: ['device.removed'] })
  const deliveries = async () =>
    (await server.get(`/api/admin/webhooks/${created.body.id}/deliveries`, ADMIN_SECRET)).body.items
  await server.ok(user, 'devices.register', { platform: 'ios', token: 'cd'.repeat(32) })
  await server.ok(user, 'devices.unregister', { token: 'cd'.repeat(32) })
  const attempts = () => collector.spans.filter(({ name }) => name === 'webhook delivery')
  await until('the first attempt has arrived', async () => attempts().length === 1)
  status = 204
  const [delivery] = await deliveries()
  await server.post(
    `/api/admin/webhooks/${created.body.id}/deliveries/${delivery.id}/redeliver`,
    ADMIN_SECRET,
    {},
  )
  await until('the second attempt has arrived', async () => attempts().length === 2)
  expect(attempts()).toMatchObject(
    [500, 204].map((answered) => ({
      kind: KIND.client,
      attributes: {
        'http.request.method': 'POST',
        'http.response.status_code': answered,
        'pigeonhole.event_id': delivery.id,
      },
    })),
  )
  expect(JSON.stringify(attempts())).not.toContain('/hook')
  receiver.close()
  receiver.closeAllConnections()
})

test('other background work has no spans', async () => {
  // The broadcast worker and the sweeper query the database continually.
  const requests = new Set(
    collector.spans
      .filter(({ kind, name }) => kind === KIND.server || name === 'webhook delivery')
      .map(({ traceId }) => traceId),
  )
  expect(collector.spans.filter(({ traceId }) => !requests.has(traceId))).toEqual([])
})

test('a caller’s decision not to sample is respected', async () => {
  const from = caller('c')
  await fetch(`${server.url}/api/health/live`, {
    headers: { traceparent: `00-${from.traceId}-${from.spanId}-00` },
  })
  await fetch(`${server.url}/api/health/live`, { headers: { traceparent: traceparent(caller('d')) } })
  await traceOf(caller('d'))
  expect(collector.spans.some(({ traceId }) => traceId === from.traceId)).toBe(false)
})

test('a collector that does not respond has no effect: calls work, and SIGTERM exits with 0 in time', async () => {
  collector.silence()
  await server.ok(user, 'account.usage')
  // The exit code would be 1 after 25 s.
  expect(await server.end('SIGTERM')).toBe(0)
})

test('an unavailable collector causes one log line and nothing else', async () => {
  await collector.close()
  server.env.OTEL_EXPORTER_OTLP_TIMEOUT = '500'
  await server.start()
  const warnings = () => server.log.filter((line) => line.includes('traces not sent'))
  for (let i = 0; i < 20; i++) await server.ok(user, 'account.usage')
  await until('it is reported', async () => warnings().length > 0)
  await server.ok(user, 'account.usage')
  expect(await server.end('SIGTERM')).toBe(0)
  expect(warnings()).toHaveLength(1)
})
