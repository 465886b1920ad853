// SIGTERM while a dependency does not respond. Each test has its own process, with work in flight.

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
import { until, WAIT_MS } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'
import { writeEvents } from '../../support/webhook-receiver.ts'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

let server: BuiltServer
let db: pg.Pool
let user: TestUser
let pushToken: string | undefined
beforeAll(async () => {
  // Lets the sweeper run every second.
  server = await prepareBuiltServer({ MULTIPART_TTL_SECONDS: '1', WEBHOOKS_ALLOW_PRIVATE: 'true' })
  db = new pg.Pool({ connectionString: server.databaseUrl, max: 2 })
  user = await server.user()
})
afterAll(async () => {
  // Failed tests leave processes behind.
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL')
  await db?.end()
  await server?.close()
})

type Replica = {
  child: ChildProcess
  url: string
  log: string[]
  /** Sends SIGTERM and returns the exit code. Orchestrators kill after 30 s; the launcher exits with 1 after 25 s. */
  stop(): Promise<number>
}

const children: ChildProcess[] = []

/** Starts a replica. `env` routes its traffic through the service that goes silent. */
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
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = await exited
      return code
    },
  }
}

/** Registers two phones of the user and returns a push token. */
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

test('with a silent database, SIGTERM exits with 0', () =>
  withProxy(server.databaseUrl, async (database) => {
    const { url, stop } = await replica({ DATABASE_URL: database.url })
    expect(await send(url, { userId: user.id })).toMatchObject({ status: 200 })
    database.silence('all')
    const waiting = [call(url, 'account.usage'), send(url, { userId: user.id }), send(url, { all: true })]
    expect(await stop()).toBe(0)
    await Promise.all(waiting)
  }))

test('with a silent store, SIGTERM exits with 0, and pushes in flight are finished and recorded', () =>
  withProxy(server.env.S3_ENDPOINT!, async (store) => {
    const { url, stop, log } = await replica({ S3_ENDPOINT: store.url })
    const started = await stagedUpload(url)
    store.silence('all')
    const confirming = call(url, 'upload.confirmUpload', { fileId: started })
    // Insert due rows, so that the sweeper waits for the store too.
    await db.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, cleanup_after, expires_at, url_expires_at)
       SELECT gen_random_uuid(), $1::uuid, 'a.png', 'image/png', 1, 'files/' || $1::text || '/' || n || '/a.png', 'EXPIRED', now(), NULL, now()
       FROM generate_series(1, 50) n`,
      [user.id],
    )
    await until(
      'the sweeper is running',
      async () => {
        const { rows } = await db.query(
          `SELECT 1 FROM files WHERE state = 'EXPIRED' AND leased_until > now()`,
        )
        return rows.length > 0
      },
      WAIT_MS,
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
    expect(await stopping).toBe(0)
    expect(log.join('\n')).not.toContain('not drained in time')
    expect(await one).toMatchObject({ status: 200, body: { status: 'completed', sent: 2 } })
    const { id } = (all as Exclude<typeof all, 'cut'>).body
    const { rows } = await db.query('SELECT status, sent FROM push_messages WHERE id = $1', [id])
    expect(rows).toEqual([{ status: 'completed', sent: 2 }])
    // Its caller can use another replica, and other replicas can take the sweeper's rows at once.
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

test('with silent gateways, webhook receiver, issuer and mail server, SIGTERM exits with 0 and reports every loss', async () => {
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
  const silent = createServer(() => called++)
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  const receiver = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
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
  // For five seconds after the last attempt, callers are rejected at once.
  let waiting = withToken()
  await until('the issuer has been asked', () => {
    waiting = Promise.all([waiting, withToken()]).then(([first]) => first)
    return issuer.requestLog.length > asked
  })
  const code = await stop()
  for (const { faults } of [apns, fcm]) faults.set({ hold: false })
  expect(code).toBe(0)
  await waiting
  // After ten seconds of retries, the rest counts as failed.
  expect(await one).toMatchObject({ status: 200, body: { status: 'completed', failed: 2 } })
  const { rows } = await db.query('SELECT attempts, due_at <= now() AS due, lease_id FROM webhook_deliveries')
  expect(rows).toEqual(Array(3).fill({ attempts: 0, due: true, lease_id: null }))
  silent.close()
  silent.closeAllConnections()
  expect(log.join('\n')).toMatch(/"emails":6.*stopped before these emails were sent/)
  expect(mailbox.emails).toEqual([])
})
