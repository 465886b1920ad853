// Runs a whole scenario with faults at the most verbose log level. Then searches the log, the responses, the metrics
// and the traces for every secret that was used.

import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type Mailbox, startMailbox } from '@pigeonhole/emulators/mailbox'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { tokenOf } from '../../support/app/mail-app.ts'
import { png, put } from '../../support/app/upload-app.ts'
import { KIND, type OtlpCollector, startOtlpCollector } from '../../support/emulators/otlp-collector.ts'
import { startTcpProxy } from '../../support/emulators/tcp-proxy.ts'
import { ADMIN_SECRET, type BuiltServer, prepareBuiltServer } from '../../support/process/built-server.ts'
import { until } from '../../support/until.ts'

const PASSWORD = `password-${randomUUID()}`
const NEW_PASSWORD = `new-password-${randomUUID()}`
const WRONG_PASSWORD = `wrong-password-${randomUUID()}`
const METRICS_TOKEN = `metrics-${randomUUID()}`
const SMTP_PASSWORD = `smtp-${randomUUID()}`
const WRONG_SECRET = `wrong-admin-${randomUUID()}`
const SHARE_TOKEN = randomBytes(32).toString('base64url')
const IOS = randomUUID().replaceAll('-', '').repeat(2)
const ANDROID = `android:${randomUUID()}`

let server: BuiltServer
let collector: OtlpCollector
let mailbox: Mailbox
/** Secrets by name. Those that a response returns on purpose are only searched for in the log and metrics. */
const secrets: Record<string, string> = {}
const given = new Set<string>()
const answers: string[] = []

beforeAll(async () => {
  collector = await startOtlpCollector()
  mailbox = await startMailbox({ users: { files: SMTP_PASSWORD } })
  server = await prepareBuiltServer({
    LOG_LEVEL: 'trace',
    SMTP_URL: `smtp://files:${SMTP_PASSWORD}@127.0.0.1:${mailbox.port}`,
    MAIL_FROM: 'files@example.com',
    METRICS_TOKEN,
    ALLOW_SIGNUP: 'true',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_BSP_SCHEDULE_DELAY: '100',
  })
  await scenario()
  // Lines reach this process with a delay.
  await until('the log has arrived', async () =>
    server.log.some((line) => line.includes('last-line-of-the-scenario')),
  )
  // Include the lines logged at shutdown.
  await server.end()
})
afterAll(async () => {
  await server?.close()
  await collector?.close()
  await mailbox?.close()
})

async function ask(path: string, init: RequestInit = {}) {
  const response = await fetch(`${server.url}${path}`, { redirect: 'manual', ...init })
  const text = await response.text()
  answers.push([...response.headers].map(([k, v]) => `${k}: ${v}`).join('\n'), text)
  // biome-ignore lint/suspicious/noExplicitAny: what a JSON API returns, read by a test
  let body: any
  try {
    body = JSON.parse(text)
  } catch {
    body = undefined
  }
  return { status: response.status, headers: response.headers, body }
}

/** Opens a path with a secret, which the response may repeat. */
async function visit(path: string): Promise<void> {
  const response = await fetch(`${server.url}${path}`, { redirect: 'manual' })
  await response.body?.cancel()
  answers.push('', '')
}

function post(path: string, bearer: string | null, body: unknown, headers: Record<string, string> = {}) {
  return ask(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer && { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

async function scenario(): Promise<void> {
  const { env } = server
  const database = await startTcpProxy(server.databaseUrl)
  const store = await startTcpProxy(env.S3_ENDPOINT!)
  Object.assign(secrets, {
    PASSWORD,
    NEW_PASSWORD,
    WRONG_PASSWORD,
    METRICS_TOKEN,
    WRONG_SECRET,
    SMTP_PASSWORD,
    SHARE_TOKEN,
    IOS,
    ANDROID,
    ADMIN_SECRET,
    NEXTAUTH_SECRET: env.NEXTAUTH_SECRET,
    S3_SECRET_ACCESS_KEY: env.S3_SECRET_ACCESS_KEY,
    APNS_PRIVATE_KEY: env.APNS_PRIVATE_KEY!.split('\n')[1],
    FCM_CREDENTIALS: readFileSync(`${env.GOOGLE_APPLICATION_CREDENTIALS}.subject-token`, 'utf8'),
    DATABASE_URL: env.DATABASE_URL,
  })
  Object.assign(env, { DATABASE_URL: database.url, S3_ENDPOINT: store.url })
  keep('DATABASE_URL through the proxy', database.url)
  await server.start()

  const email = `${randomUUID()}@example.com`
  const signedUp = await post('/api/trpc/account.signUp', null, { email, password: PASSWORD })
  let session: string = signedUp.body.result.data.token
  keep('session of signUp', session, true)
  const link = tokenOf(await mailbox.waitFor(({ to }) => to.includes(email)))
  keep('mailed link', link, false)
  await post('/api/trpc/account.verifyEmail', session, { token: link })
  await post('/api/trpc/account.verifyEmail', null, { token: link })
  mailbox.faults.add({ at: 'auth', do: { reject: 535, message: 'Wrong password' } })
  await post('/api/trpc/account.requestPasswordReset', null, { email })
  await post('/api/trpc/session.create', null, { email, password: WRONG_PASSWORD })
  await post('/api/trpc/session.create', null, { email, password: { deep: WRONG_PASSWORD } })
  const changed = await post('/api/trpc/account.changePassword', session, {
    currentPassword: PASSWORD,
    newPassword: NEW_PASSWORD,
  })
  keep('session before', session, true)
  session = changed.body.result.data.token
  keep('session after', session, true)
  const csrf = await ask('/api/auth/csrf')
  await post(
    '/api/auth/callback/credentials',
    null,
    new URLSearchParams({ email, password: NEW_PASSWORD, csrfToken: csrf.body.csrfToken }).toString(),
    {
      'content-type': 'application/x-www-form-urlencoded',
      cookie: csrf.headers
        .getSetCookie()
        .map((c) => c.split(';')[0])
        .join('; '),
    },
  )

  const bytes = png(500)
  const file = { filename: 'a.png', mimeType: 'image/png', size: 500 }
  const created = (await post('/api/trpc/upload.requestUploadUrl', session, file)).body.result.data
  keep('presigned PUT', new URL(created.uploadUrl).searchParams.get('X-Amz-Signature')!, true)
  await put(created.uploadUrl, bytes, created.headers)
  const { fileId } = created
  await post('/api/trpc/upload.confirmUpload', session, { fileId })
  const download = await ask(`/files/${fileId}`, { headers: { authorization: `Bearer ${session}` } })
  keep('presigned GET', new URL(download.headers.get('location')!).searchParams.get('X-Amz-Signature')!, true)
  await ask(`/files/${fileId}?token=${session}`)

  for (const [platform, token] of [
    ['ios', IOS],
    ['android', ANDROID],
  ])
    await post('/api/trpc/devices.register', session, { platform, token })
  await post('/api/trpc/devices.register', session, { platform: 'ios', token: `${ANDROID}!` })
  await ask('/api/trpc/devices.list', { headers: { authorization: `Bearer ${session}` } })
  const userId = changed.body.result.data.user.id
  await post('/api/push/token', WRONG_SECRET, { userId, name: 'x' })
  await post('/api/push/token', ADMIN_SECRET, { userId, name: 'x', admin: ADMIN_SECRET })
  const made = await post('/api/push/token', ADMIN_SECRET, { userId, name: 'secrets' })
  const pushToken: string = made.body.token
  keep('push token', pushToken, true)
  await ask(`/api/push/token?userId=${userId}`, { headers: { authorization: `Bearer ${ADMIN_SECRET}` } })
  const message = { title: 'a', body: 'b', data: { x: 1 } }
  const send = (headers?: Record<string, string>) => post('/api/push/send', pushToken, message, headers)
  await send()
  server.stack.apns.devices.unregister(IOS, Date.now() + 60_000)
  server.stack.fcm.faults.add({ do: { kind: 'reject', reason: 'UNREGISTERED' } })
  await send({ 'idempotency-key': 'k' })
  server.stack.fcm.faults.clear()
  await post('/api/push/send', pushToken, { ...message, all: true })

  for (const path of ['/s/', '//s/', '///s/', '/%73/', '/S/', '/s//', '/de/s/', '/'])
    await visit(`${path}${SHARE_TOKEN}`)
  await visit(`//s/%${SHARE_TOKEN.charCodeAt(0).toString(16)}${SHARE_TOKEN.slice(1)}`)

  // Faults: errors of the store and the database mention the request.
  const second = (await post('/api/trpc/upload.requestUploadUrl', session, file)).body.result.data
  keep('presigned PUT of a lost store', new URL(second.uploadUrl).searchParams.get('X-Amz-Signature')!, true)
  await store.shut()
  await post('/api/trpc/upload.confirmUpload', session, { fileId: second.fileId })
  await database.shut()
  await post('/api/trpc/upload.requestUploadUrl', session, file)
  await post('/api/trpc/session.create', null, { email, password: NEW_PASSWORD })
  await send()
  await post('/api/push/token', ADMIN_SECRET, { userId, name: 'x' })
  await ask(`/api/health/ready?key=${ADMIN_SECRET}`)
  await ask('/api/metrics', { headers: { authorization: `Bearer ${METRICS_TOKEN}` } })
  await ask('/last-line-of-the-scenario')
  await Promise.all([database.close(), store.close()])
}

function keep(name: string, secret: string, isGiven = false): void {
  expect(secret.length, name).toBeGreaterThan(20)
  secrets[name] = secret
  if (isGiven) given.add(name)
}

describe('the secrets of the scenario appear nowhere', () => {
  test('the scenario has produced many responses and log lines, including faults', () => {
    expect(answers.length).toBeGreaterThan(50)
    expect(Object.keys(secrets).length).toBeGreaterThan(20)
    expect(server.log.filter((line) => line.includes('"level":50')).length).toBeGreaterThan(1)
  })

  test('not in the log', () => {
    const log = server.log.join('\n')
    for (const [name, secret] of Object.entries(secrets))
      for (const form of forms(secret)) expect(log.includes(form), `${name} in the log`).toBe(false)
  })

  test('not in traces, nor are file names and emails', async () => {
    const requests = () => collector.spans.filter(({ kind }) => kind === KIND.server)
    await until('all requests have arrived', async () => requests().length >= answers.length / 2)
    expect(collector.spans.some(({ failed }) => failed)).toBe(true)
    const traces = collector.bodies.join('\n')
    for (const [name, secret] of Object.entries(secrets))
      for (const form of forms(secret)) expect(traces.includes(form), `${name} in traces`).toBe(false)
    expect(traces).not.toMatch(/a\.png|@example\.com|X-Amz|\?/)
  })

  test('not in responses, except in those that return them on purpose', () => {
    for (const [name, secret] of Object.entries(secrets)) {
      const count = answers.filter((text) => forms(secret).some((form) => text.includes(form))).length
      expect(count, name).toBe(given.has(name) ? 1 : 0)
    }
  })

  test('no internal detail is in any response', () => {
    for (const text of answers) {
      expect(text).not.toMatch(
        /node_modules|prisma|\bat .+\.(ts|js):\d|ECONNREFUSED|staging\/.*<|password_hash/i,
      )
      // The start of our statements. Pages show "Select" to users.
      expect(text).not.toMatch(/\bSELECT /)
    }
  })
})

test('every log line is JSON with a time and a message, and lines of requests contain their ID', () => {
  const lines = server.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  expect(server.log.filter((line) => line.trim() !== '' && !line.startsWith('{'))).toEqual([])
  const ids = new Set<string>()
  for (const line of lines) {
    expect(line).toMatchObject({ time: expect.any(String), msg: expect.any(String) })
    if (line.msg === 'request') ids.add(line.requestId)
  }
  const requests = lines.filter((line) => line.msg === 'request')
  expect(ids.size).toBe(requests.length)
  expect(requests.length).toBe(answers.length / 2)
})

test('every push message has one line with its result and the ID of its request', () => {
  const lines = server.log.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line))
  const pushes = lines.filter((line) => line.msg === 'push message')
  expect(pushes.map(({ target, status }) => `${target} ${status}`)).toEqual([
    'user completed',
    'user completed',
    'all queued',
  ])
  const requests = new Set(lines.filter((l) => l.path === '/api/push/send').map((l) => l.requestId))
  for (const push of pushes) expect(requests).toContain(push.requestId)
  expect(pushes[0]).toMatchObject({ sent: 2, failed: 0, removed: 0, audience: { ios: 1, android: 1 } })
  expect(pushes[1]).toMatchObject({ sent: 0, removed: 2 })
})

/** Returns the secret unchanged, and as it appears in JSON or a URL. */
function forms(secret: string): string[] {
  return [...new Set([secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])]
}
