// SIGTERM while something that the service needs does not answer: a process of its own for each, with work in flight.

import type { ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startMailbox } from '@pigeonhole/emulators/mailbox'
import { startOidc } from '@pigeonhole/emulators/oidc'
import pg from 'pg'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { startTcpProxy, type TcpProxy } from '../../support/emulators/tcp-proxy.ts'
import {
  ADMIN_SECRET,
  type BuiltServer,
  launch,
  prepareBuiltServer,
} from '../../support/process/built-server.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'
import { writeEvents } from '../../support/webhook-receiver.ts'

/** Orchestrators kill after 30 s; the launcher gives up, with 1, after 25. */
const LIMIT_MS = 24_000
const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

let server: BuiltServer
let db: pg.Pool
let user: TestUser
let pushToken: string | undefined
beforeAll(async () => {
  // So that the sweeper looks every second.
  server = await prepareBuiltServer({ MULTIPART_TTL_SECONDS: '1', WEBHOOKS_ALLOW_PRIVATE: 'true' })
  db = new pg.Pool({ connectionString: server.databaseUrl, max: 2 })
  user = await server.user()
})
afterAll(async () => {
  // Those of tests that failed.
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL')
  await db?.end()
  await server?.close()
})

type Replica = {
  child: ChildProcess
  url: string
  log: string[]
  stop(): Promise<{ code: number; ms: number }>
}

const children: ChildProcess[] = []

/** A replica of its own; `env` has its way to what goes silent. */
async function replica(env: Record<string, string> = {}): Promise<Replica> {
  const log: string[] = []
  const { child, url } = await launch({ ...server.env, ...env }, log)
  children.push(child)
  pushToken ??= await setUp(url)
  return {
    child,
    url,
    log,
    async stop() {
      const startedAt = performance.now()
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = await exited
      return { code, ms: performance.now() - startedAt }
    },
  }
}

/** Two phones of the user; a push token. */
async function setUp(url: string): Promise<string> {
  for (const phone of [
    { platform: 'android', token: 'a-phone' },
    { platform: 'ios', token: 'ab'.repeat(32) },
  ])
    expect(await callProcedure(fetch, user, 'devices.register', phone, url)).toMatchObject({ status: 200 })
  const made = await fetch(`${url}/api/push/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_SECRET}` },
    body: JSON.stringify({ userId: user.id, name: 'stop' }),
  })
  return ((await made.json()) as { token: string }).token
}

function send(url: string, body: object): Promise<{ status: number; body: Record<string, unknown> } | 'cut'> {
  return fetch(`${url}/api/push/send`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${pushToken}` },
    body: JSON.stringify({ title: 'a', body: 'b', ...body }),
  }).then(
    async (response) => ({ status: response.status, body: await response.json() }),
    () => 'cut' as const,
  )
}

const call = (url: string, procedure: string, input?: unknown) =>
  callProcedure(fetch, user, procedure, input, url).catch(() => 'cut' as const)

async function withProxy<T>(target: string, work: (proxy: TcpProxy) => Promise<T>): Promise<T> {
  const proxy = await startTcpProxy(target)
  try {
    return await work(proxy)
  } finally {
    await proxy.close()
  }
}

test('the database is silent: SIGTERM ends with 0', () =>
  withProxy(server.databaseUrl, async (database) => {
    const { url, stop } = await replica({ DATABASE_URL: database.url })
    expect(await send(url, { userId: user.id })).toMatchObject({ status: 200 })
    database.mute('all')
    const waiting = [call(url, 'account.usage'), send(url, { userId: user.id }), send(url, { all: true })]
    const { code, ms } = await stop()
    expect(code).toBe(0)
    expect(ms).toBeLessThan(LIMIT_MS)
    await Promise.all(waiting)
  }))

test('the store is silent: SIGTERM ends with 0, and pushes in flight are finished and recorded', () =>
  withProxy(server.env.S3_ENDPOINT!, async (store) => {
    const { url, stop, log } = await replica({ S3_ENDPOINT: store.url })
    const begun = await stagedUpload(url)
    store.mute('all')
    const confirming = call(url, 'upload.confirmUpload', { fileId: begun })
    // Rows that are due, so that the sweeper waits for the store too.
    await db.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, cleanup_after, expires_at, url_expires_at)
       SELECT gen_random_uuid(), $1::uuid, 'a.png', 'image/png', 1, 'files/' || $1::text || '/' || n || '/a.png', 'EXPIRED', now(), NULL, now()
       FROM generate_series(1, 50) n`,
      [user.id],
    )
    await until(
      'the sweeper is at work',
      async () => {
        const { rows } = await db.query(
          `SELECT 1 FROM files WHERE state = 'EXPIRED' AND leased_until > now()`,
        )
        return rows.length > 0
      },
      // It may have been listing staged objects when the store went silent: 24 s until it gives that up.
      50_000,
      200,
    )
    const { apns, fcm } = server.stack
    const hold = (held: boolean) => {
      for (const { faults } of [apns, fcm]) faults.set({ hold: held })
    }
    const held = (count: number) => () => apns.faults.holding >= count && fcm.faults.holding >= count
    hold(true)
    const all = await send(url, { all: true })
    await until('the broadcast is in flight', held(1))
    const one = send(url, { userId: user.id })
    await until('the push is in flight', held(2))
    const stopping = stop()
    await until('it drains', () => log.some((line) => line.includes('"msg":"draining"')))
    hold(false)
    const ended = await stopping
    expect(ended.code).toBe(0)
    expect(ended.ms).toBeLessThan(LIMIT_MS)
    expect(log.join('\n')).not.toContain('not drained in time')
    expect(await one).toMatchObject({ status: 200, body: { status: 'completed', sent: 2 } })
    const { id } = (all as Exclude<typeof all, 'cut'>).body
    const { rows } = await db.query('SELECT status, sent FROM push_messages WHERE id = $1', [id])
    expect(rows).toEqual([{ status: 'completed', sent: 2 }])
    // Its caller asks another replica; the sweeper's rows are free for others at once.
    expect(await confirming).toMatchObject({ status: 500 })
    const leased = await db.query('SELECT 1 FROM files WHERE leased_until > now()')
    expect(leased.rows).toEqual([])
  }))

async function stagedUpload(url: string): Promise<string> {
  const input = { filename: 'a.png', mimeType: 'image/png', size: PNG.length }
  const answer = await call(url, 'upload.requestUploadUrl', input)
  if (answer === 'cut') throw new Error('cut')
  const { fileId, uploadUrl, headers } = answer.data as {
    fileId: string
    uploadUrl: string
    headers: Record<string, string>
  }
  await fetch(uploadUrl, { method: 'PUT', headers, body: PNG })
  return fileId
}

test("both gateways, a webhook's receiver, the issuer of tokens and the mail server are silent: SIGTERM ends with 0, a push to one user is answered, the event is given back, lost mails are told of", async () => {
  const issuer = await startOidc({ clients: [], audience: 'files' })
  onTestFinished(() => issuer.close())
  issuer.faults.hold = true
  const mailbox = await startMailbox()
  onTestFinished(() => mailbox.close())
  mailbox.faults.add({ at: 'data', do: 'hang' })
  const { url, stop, log } = await replica({
    AUTH_JWT_ISSUER: issuer.issuer,
    AUTH_JWT_AUDIENCE: 'files',
    SMTP_URL: mailbox.url,
    MAIL_FROM: 'files@example.com',
    ALLOW_SIGNUP: 'true',
  })
  for (let i = 0; i < 6; i++) {
    const input = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' }
    expect(await callProcedure(fetch, null, 'account.signUp', input, url)).toMatchObject({ status: 200 })
  }
  await until('the mail server hangs', () => mailbox.faults.hanging === 4)
  let called = 0
  const mute = createServer(() => called++)
  await new Promise<void>((done) => mute.listen(0, '127.0.0.1', done))
  const receiver = `http://127.0.0.1:${(mute.address() as AddressInfo).port}/`
  const webhook = { url: receiver, events: ['device.disabled'] }
  const created = await fetch(`${url}/api/admin/webhooks`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${ADMIN_SECRET}` },
    body: JSON.stringify(webhook),
  })
  expect(created.status).toBe(201)
  await writeEvents(db, 'device.disabled', 3)
  await until('the receiver has them', () => called === 3)
  const { apns, fcm } = server.stack
  for (const { faults } of [apns, fcm]) faults.set({ hold: true })
  const one = send(url, { userId: user.id })
  await send(url, { all: true })
  await until('the gateways have them', () => apns.faults.holding > 0 && fcm.faults.holding > 0)
  const asked = issuer.requestLog.length
  const bearer = { headers: { authorization: `Bearer ${issuer.mint({ sub: 'ada' })}` } }
  const withToken = () => callProcedure(fetch, bearer, 'account.usage', undefined, url).catch(() => 'cut')
  // Those within five seconds of the last try are refused at once.
  let waiting = withToken()
  await until('the issuer has been asked', () => {
    waiting = Promise.all([waiting, withToken()]).then(([first]) => first)
    return issuer.requestLog.length > asked
  })
  const { code, ms } = await stop()
  for (const { faults } of [apns, fcm]) faults.set({ hold: false })
  expect(code).toBe(0)
  expect(ms).toBeLessThan(LIMIT_MS)
  await waiting
  // After ten seconds of retries what is left counts as failed.
  expect(await one).toMatchObject({ status: 200, body: { status: 'completed', failed: 2 } })
  const { rows } = await db.query('SELECT attempts, due_at <= now() AS due, lease_id FROM webhook_deliveries')
  expect(rows).toEqual(Array(3).fill({ attempts: 0, due: true, lease_id: null }))
  mute.close()
  mute.closeAllConnections()
  expect(log.join('\n')).toMatch(/"mails":6.*stopped before these mails were sent/)
  expect(mailbox.mails).toEqual([])
})
