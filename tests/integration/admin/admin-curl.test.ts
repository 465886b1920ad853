// Runs every curl call of the sections on /api/admin in docs/api.md.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { startApiServer } from '../../support/app/api-server.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { ADMIN_SECRET, startTestApp, type TestApp } from '../../support/app/test-app.ts'
import { createUser } from '../../support/users.ts'
import { writeEvents } from '../../support/webhook-receiver.ts'

const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8')
/** Blocks of shell code by title. */
const calls = new Map(
  page
    .split(/^### /m)
    .slice(1)
    .map((text) => [text.slice(0, text.indexOf('\n')), text.split(/^## /m)[0]!] as const)
    .filter(([title]) => title.includes('/api/admin/'))
    .map(([title, text]) => [title, [...text.matchAll(/```sh\n([\s\S]*?)\n```/g)].map((m) => m[1]!)]),
)

let app: TestApp
let server: { url: string; close(): void }
const env: Record<string, string> = { PATH: process.env.PATH!, ADMIN: ADMIN_SECRET }
/** The policy that the call for a user token names. */
const policies = writePolicies({ avatar: {} })
beforeAll(async () => {
  app = await startTestApp({ UPLOAD_POLICIES_FILE: policies.path })
  server = await startApiServer(app)
})
afterAll(async () => {
  server.close()
  await app.close()
  policies.remove()
})

/** Runs the calls of a section. Returns the last response. */
async function run(title: string): Promise<{ status: number; body: Body }> {
  let answer: { status: number; body: Body } | undefined
  for (const block of calls.get(title) ?? []) {
    const script = `curl() { command curl -sS -w '\\n%{http_code}' "$@"; }\n${block.replaceAll('https://files.example.com', server.url)}`
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env: env as NodeJS.ProcessEnv })
    const [, text, status] = /^([\s\S]*)\n(\d{3})$/.exec(stdout)!
    answer = { status: Number(status), body: bodyOf(text!) }
  }
  calls.delete(title)
  if (!answer) throw new Error(`docs/api.md has no call "${title}"`)
  return answer
}
/** Parses JSON. CSV, which begins with a byte order mark, is returned as it is. */
const bodyOf = (text: string): Body =>
  text === '' ? undefined : text.startsWith('\ufeff') ? text : JSON.parse(text)
// biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
type Body = any

test('users and the audit log', async () => {
  const created = await run('POST /api/admin/users')
  expect(created).toMatchObject({
    status: 201,
    body: { email: 'ada@example.com', name: 'Ada', quotaBytes: 1_073_741_824 },
  })
  env.USER_ID = created.body.id
  expect(await run('GET /api/admin/users')).toEqual({
    status: 200,
    body: { items: [created.body], nextCursor: null },
  })
  expect(await run('GET /api/admin/users/{id}')).toEqual({ status: 200, body: created.body })
  expect(await run('PATCH /api/admin/users/{id}')).toEqual({
    status: 200,
    body: { ...created.body, disabled: true },
  })
  expect(await run('GET /api/admin/audit')).toEqual({ status: 200, body: { items: [], nextCursor: null } })
  expect(await run('GET /api/admin/audit/export')).toMatchObject({
    status: 200,
    body: expect.stringContaining('"account.created"'),
  })
  // SMTP_URL is not configured here.
  expect((await run('POST /api/admin/users/{id}/password-reset')).status).toBe(409)
  expect(await run('GET /api/admin/users/{id}/devices')).toEqual({ status: 200, body: { items: [] } })
  expect(await run('POST /api/admin/users/{id}/sign-out')).toEqual({ status: 204, body: undefined })
  expect(await run('DELETE /api/admin/users/{id}')).toEqual({ status: 202, body: { id: env.USER_ID } })
})

test('server keys and user tokens', async () => {
  expect(await run('POST /api/admin/user-tokens')).toMatchObject({
    status: 201,
    body: { token: expect.stringMatching(/^ut_/), userId: expect.any(String) },
  })
  const created = await run('POST /api/admin/server-keys')
  expect(created).toMatchObject({ status: 201, body: { key: expect.stringMatching(/^sk_[\w-]{43}$/) } })
  env.KEY_ID = created.body.id
  expect(await run('GET /api/admin/server-keys')).toMatchObject({
    status: 200,
    body: { items: [{ id: env.KEY_ID, name: 'shop backend' }] },
  })
  expect(await run('DELETE /api/admin/server-keys/{id}')).toEqual({ status: 204, body: undefined })
})

test('files', async () => {
  expect(await run('GET /api/admin/files')).toEqual({ status: 200, body: { items: [], nextCursor: null } })
  env.FILE_ID = '019aa6f2-3d4e-7f50-8162-7c8d9e0f1a2b'
  for (const title of [
    'GET /api/admin/files/{id}',
    'POST /api/admin/files/{id}/url',
    'POST /api/admin/files/{id}/verdict',
    'DELETE /api/admin/files/{id}',
  ])
    expect((await run(title)).status).toBe(404)
})

test('push tokens, broadcasts, health and doctor', async () => {
  const user = await createUser(app)
  env.USER_ID = user.id
  const created = await run('POST /api/admin/push-tokens')
  expect(created).toEqual({
    status: 201,
    body: {
      id: expect.any(String),
      token: expect.stringMatching(/^ph_[\w-]{43}$/),
      expiresAt: expect.any(String),
    },
  })
  env.TOKEN_ID = created.body.id
  expect(await run('GET /api/admin/push-tokens')).toEqual({
    status: 200,
    body: {
      items: [
        {
          id: created.body.id,
          name: 'nightly build',
          userId: user.id,
          user: { email: user.email, name: null },
          scopes: ['self', 'users', 'broadcast'],
          allowBroadcast: true,
          createdAt: expect.any(String),
          expiresAt: created.body.expiresAt,
          lastUsedAt: null,
          revokedAt: null,
          suffix: created.body.token.slice(-4),
        },
      ],
      nextCursor: null,
    },
  })
  const owner = await createUser(app)
  await app.db.query(`UPDATE users SET role = 'admin' WHERE id = $1`, [owner.id])
  env.SESSION = owner.token
  // The token is another user's.
  expect((await run('POST /api/admin/push-tokens/{id}/send')).status).toBe(404)
  expect(await run('DELETE /api/admin/push-tokens/{id}')).toEqual({ status: 204, body: undefined })
  expect(await run('GET /api/admin/broadcasts')).toEqual({
    status: 200,
    body: { items: [], nextCursor: null },
  })
  env.MESSAGE_ID = '019aa6f6-7182-7394-a5a6-b0c1d2e3f405'
  for (const title of [
    'GET /api/admin/broadcasts/{id}',
    'GET /api/admin/broadcasts/{id}/failures',
    'DELETE /api/admin/broadcasts/{id}',
  ])
    expect((await run(title)).status).toBe(404)
  expect(await run('GET /api/admin/health')).toMatchObject({
    status: 200,
    body: { checks: { database: 'ok' }, gateways: [{ platform: 'ios', configured: false }, {}, {}] },
  })
  // No store is configured here.
  const reachable = { check: 'database-connection', status: 'ok', message: 'accepts connections' }
  for (const method of ['GET', 'POST'])
    expect(await run(`${method} /api/admin/doctor`)).toMatchObject({
      status: 200,
      body: { ok: false, findings: expect.arrayContaining([reachable]) },
    })
})

test('webhooks', async () => {
  const created = await run('POST /api/admin/webhooks')
  expect(created).toEqual({
    status: 201,
    body: { id: expect.any(String), secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/) },
  })
  env.WEBHOOK_ID = created.body.id
  const webhook = {
    id: created.body.id,
    url: 'https://app.example.com/hooks/pigeonhole',
    events: ['file.ready', 'file.deleted'],
    description: null,
    active: true,
    createdAt: expect.any(String),
    endedAt: null,
    failingSince: null,
    retrying: false,
    lastAttempt: null,
    recent: { delivered: 0, failed: 0 },
  }
  expect(await run('GET /api/admin/webhooks')).toEqual({ status: 200, body: { items: [webhook] } })
  expect(await run('GET /api/admin/webhooks/{id}')).toEqual({ status: 200, body: webhook })
  const events = ['file.ready', 'file.rejected', 'file.deleted']
  expect(await run('PATCH /api/admin/webhooks/{id}')).toEqual({ status: 200, body: { ...webhook, events } })

  await writeEvents(app.db, 'file.rejected', 12)
  const { status, body } = await run('GET /api/admin/webhooks/{id}/deliveries')
  expect([status, body.items.length, body.nextCursor]).toEqual([200, 10, String(body.items[9].sequence)])
  expect(body.items[0]).toEqual({
    id: expect.any(String),
    type: 'file.rejected',
    sequence: 12,
    status: 'pending',
    attempts: 0,
    createdAt: expect.any(String),
    lastAttemptAt: null,
    nextAttemptAt: expect.any(String),
    httpStatus: null,
    failure: null,
    history: [],
    data: expect.any(Object),
  })
  env.DELIVERY_ID = body.items[0].id
  const again = await run('POST /api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver')
  expect(again).toMatchObject({ status: 202, body: { id: env.DELIVERY_ID, status: 'pending' } })
  const test = await run('POST /api/admin/webhooks/{id}/test')
  expect(test).toMatchObject({ status: 202, body: { type: 'webhook.test', status: 'pending' } })
  expect(await run('DELETE /api/admin/webhooks/{id}')).toEqual({ status: 204, body: undefined })
})

test('all calls in the document were run', () => {
  expect([...calls.keys()]).toEqual([])
})
