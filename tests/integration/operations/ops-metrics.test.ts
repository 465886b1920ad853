// The metrics that GET /api/metrics shows after various events, over HTTP against the built server.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { png, put } from '../../support/app/upload-app.ts'
import { ADMIN_SECRET, type BuiltServer, startBuiltServer } from '../../support/process/built-server.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

const TOKEN = 'a-metrics-token-of-the-operators-choice'
let server: BuiltServer
let user: TestUser

beforeAll(async () => {
  server = await startBuiltServer({ METRICS_TOKEN: TOKEN, DEFAULT_STORAGE_QUOTA_BYTES: '1000' })
  user = await server.user()
})
afterAll(() => server?.close())

/** Returns the sum of the series with this name and all these labels, or undefined if there is none. */
async function metric(name: string, labels: Record<string, string> = {}): Promise<number | undefined> {
  const { text, status } = await server.get('/api/metrics', TOKEN)
  expect(status).toBe(200)
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `))
    .filter((line) => Object.entries(labels).every(([k, v]) => line.includes(`${k}="${v}"`)))
    .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)))
  return values.length === 0 ? undefined : values.reduce((a, b) => a + b)
}

/** Waits for a count, because the server counts only after it has sent the response. */
async function becomes(name: string, labels: Record<string, string>, value: number): Promise<void> {
  await until(
    `${name} ${JSON.stringify(labels)} = ${value}`,
    async () => (await metric(name, labels)) === value,
  )
}

describe('access', () => {
  test.each([
    ['no token', null],
    ['a wrong token', `${TOKEN}x`],
    ['the admin secret if METRICS_TOKEN is set', ADMIN_SECRET],
    ['a session', 'session'],
  ])('is denied with %s', async (_, bearer) => {
    const answer = await server.get('/api/metrics', bearer === 'session' ? user.token : bearer)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.text).not.toContain('pigeonhole_')
  })

  test('clients with METRICS_TOKEN get text that Prometheus accepts', async () => {
    const answer = await server.get('/api/metrics', TOKEN)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    expect(answer.text).toMatch(/^process_resident_memory_bytes \d+/m)
    expect(answer.text).toMatch(/^nodejs_eventloop_lag_p99_seconds /m)
    for (const line of answer.text.split('\n').filter((l) => l && !l.startsWith('#')))
      expect(line).toMatch(/^[a-z_]\w*(\{([a-z_]+="[^"]*",?)*\})? ([\d.e+-]+|NaN)$/i)
  })
})

test('an upload: its states, its calls to the store, its procedures', async () => {
  const bytes = png(400)
  const input = { filename: 'a.png', mimeType: 'image/png', size: 400 }
  const created = await server.ok(user, 'upload.requestUploadUrl', input)
  await put(created.uploadUrl, bytes, created.headers)
  await server.ok(user, 'upload.confirmUpload', { fileId: created.fileId })
  const large = await server.call(user, 'upload.requestUploadUrl', { ...input, size: 900 })
  expect(large.error?.code).toBe('QUOTA_EXCEEDED')
  await server.ok(user, 'files.delete', { fileId: created.fileId })

  expect(await metric('pigeonhole_uploads_total', { state: 'PENDING' })).toBe(1)
  expect(await metric('pigeonhole_uploads_total', { state: 'READY' })).toBe(1)
  expect(await metric('pigeonhole_uploads_total', { state: 'DELETED' })).toBe(1)
  expect(await metric('pigeonhole_quota_refusals_total')).toBe(1)
  for (const operation of ['head', 'inspect', 'copy'])
    expect(
      await metric('pigeonhole_store_call_duration_seconds_count', { operation, outcome: 'ok' }),
    ).toBeGreaterThan(0)
  const name = 'pigeonhole_procedure_duration_seconds_count'
  expect(await metric(name, { procedure: 'upload.requestUploadUrl', code: 'OK' })).toBe(1)
  expect(await metric(name, { procedure: 'upload.requestUploadUrl', code: 'QUOTA_EXCEEDED' })).toBe(1)
})

test('pushes: attempts by gateway and outcome, reasons, messages by target', async () => {
  const { body } = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'metrics' })
  const ios = 'ab'.repeat(32)
  await server.ok(user, 'devices.register', { platform: 'ios', token: ios })
  await server.ok(user, 'devices.register', { platform: 'android', token: 'an-android-token' })
  server.stack.apns.devices.unregister(ios, Date.now() + 60_000)
  await server.post('/api/push/send', body.token, { title: 'a', body: 'b' })
  await server.post('/api/push/send', body.token, { title: 'a', body: 'b', dryRun: true })
  const attempts = 'pigeonhole_push_attempt_duration_seconds_count'
  expect(await metric(attempts, { gateway: 'android', outcome: 'accepted' })).toBe(1)
  expect(await metric(attempts, { gateway: 'ios', outcome: 'gone' })).toBe(1)
  expect(await metric('pigeonhole_push_not_accepted_total', { gateway: 'ios', reason: 'Unregistered' })).toBe(
    1,
  )
  expect(await metric('pigeonhole_push_messages_total', { target: 'user' })).toBe(1)
  expect(await metric('pigeonhole_push_messages_total', { target: 'dry_run' })).toBe(1)
})

test('routes appear as patterns, so their number does not depend on the requests', async () => {
  // An unread body counts as 499: the client did not wait for the response.
  const ask = async (path: string, method = 'GET') => (await fetch(server.url + path, { method })).text()
  for (let i = 0; i < 20; i++) {
    await ask(`/no/such/page/${i}`)
    await ask(`/files/${i}`)
  }
  await ask('/files/1', 'PROPFIND')
  const count = 'pigeonhole_http_request_duration_seconds_count'
  await becomes(count, { route: '/files/[id]', method: 'GET', status: '401' }, 20)
  await becomes(count, { route: 'other', method: 'GET', status: '404' }, 20)
  await becomes(count, { route: '/files/[id]', method: 'other' }, 1)
  const { text } = await server.get('/api/metrics', TOKEN)
  const routes = new Set([...text.matchAll(/route="([^"]*)"/g)].map((m) => m[1]))
  expect(routes.size).toBeLessThan(25)
})

test('pool use and queue depth', async () => {
  for (const pool of ['requests', 'broadcasts', 'limits'])
    expect(await metric('pigeonhole_db_pool_connections', { pool, state: 'idle' })).toBeGreaterThanOrEqual(0)
  expect(await metric('pigeonhole_db_pool_connections', { pool: 'requests', state: 'idle' })).toBeGreaterThan(
    0,
  )
  for (const state of ['due', 'leased', 'waiting'])
    expect(await metric('pigeonhole_push_chunks', { state })).toBe(0)
})
