// How the process starts, waits, refuses and ends: what an operator and an orchestrator see of it.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { startTcpProxy, type TcpProxy } from '../../support/emulators/tcp-proxy.ts'
import { ADMIN_SECRET, type BuiltServer, prepareBuiltServer } from '../../support/process/built-server.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

let server: BuiltServer
let user: TestUser
/** Between the server and what it needs. */
let database: TcpProxy
let store: TcpProxy
let startMs: number
let idleMib: number
beforeAll(async () => {
  server = await prepareBuiltServer()
  user = await server.user()
  database = await startTcpProxy(server.databaseUrl)
  store = await startTcpProxy(server.env.S3_ENDPOINT!)
  Object.assign(server.env, { DATABASE_URL: database.url, S3_ENDPOINT: store.url })
  const startedAt = performance.now()
  await server.start()
  startMs = performance.now() - startedAt
  const { text } = await server.get('/api/metrics', ADMIN_SECRET)
  idleMib = Number(/^process_resident_memory_bytes (\d+)/m.exec(text)![1]) / 2 ** 20
})
afterAll(async () => {
  await server?.close()
  await Promise.all([database?.close(), store?.close()])
})

/** `npm start` with this environment, until it ends. */
async function run(
  env: Record<string, string>,
  whileRunning?: (child: ChildProcess, output: () => string) => Promise<void>,
) {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/start.ts')], {
    cwd: ROOT,
    env: childEnv({ PIGEONHOLE_ENV_FILE: '', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const startedAt = performance.now()
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'close')
  try {
    await whileRunning?.(child, () => output)
    const [code] = await exited
    return { code, output, ms: performance.now() - startedAt }
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
  }
}

describe('a bad environment', () => {
  test('ends it at once, with one line for every fault that names the variable and shows no value', async () => {
    const { code, output, ms } = await run({
      ...server.env,
      DATABASE_URL: 'mysql://root:database-password@db/x',
      S3_BUCKET: '',
      PUSH_TOKEN_ADMIN_SECRET: 'short-secret',
      NEXTAUTH_URL: 'files.example.com/secret-path',
      APNS_PRIVATE_KEY: '-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----',
      FIREBASE_PRIVATE_KEY: 'half-of-a-pair',
      PORT: 'http',
      TRUST_PROXY: '-1',
    })
    expect(code).toBe(1)
    const lines = output.trim().split('\n')
    for (const name of [
      'DATABASE_URL',
      'S3_BUCKET',
      'PUSH_TOKEN_ADMIN_SECRET',
      'NEXTAUTH_URL',
      'APNS_PRIVATE_KEY',
      'FIREBASE_CLIENT_EMAIL',
      'PORT',
      'TRUST_PROXY',
    ])
      expect(lines.filter((line) => line.startsWith(`${name} `))).toHaveLength(1)
    for (const secret of ['database-password', 'short-secret', 'secret-path', 'c2VjcmV0', 'half-of-a-pair'])
      expect(output).not.toContain(secret)
    expect(output).not.toMatch(/^\s+at /m)
    expect(ms).toBeLessThan(5_000)
  })

  test('nothing set: every variable that is needed, and no other', async () => {
    const { code, output } = await run({})
    expect(code).toBe(1)
    expect(
      output
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0])
        .sort(),
    ).toEqual([
      'DATABASE_URL',
      'NEXTAUTH_SECRET',
      'NEXTAUTH_URL',
      'PUSH_TOKEN_ADMIN_SECRET',
      'S3_BUCKET',
      'S3_REGION',
    ])
  })

  test('a port in use: one line', async () => {
    const holder = createServer().listen(0)
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    const { code, output } = await run({ ...server.env, LOG_LEVEL: 'silent', PORT: String(port) })
    holder.close()
    expect(code).toBe(1)
    expect(output.trim()).toBe(`Port ${port} is in use. Set PORT to another one.`)
  })
})

describe('database and store', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)('%s before the server listens ends it with 0', async (signal) => {
    const gate = await startTcpProxy(server.databaseUrl)
    await gate.shut()
    const { code } = await run(
      { ...server.env, DATABASE_URL: gate.url, PORT: '0' },
      async (child, output) => {
        await until('it waits', async () => output().includes('"msg":"waiting:'))
        child.kill(signal)
      },
    )
    await gate.close()
    expect(code).toBe(0)
  })

  test('the start waits for a database that comes later, and says so; then it warns once of what doctor would fail', async () => {
    const gate = await startTcpProxy(server.databaseUrl)
    await gate.shut()
    const env = { ...server.env, DATABASE_URL: gate.url, S3_BUCKET: 'missing', PORT: '0' }
    const late = run(env, async (child, output) => {
      await until('it waits', async () => output().includes('"msg":"waiting:'))
      expect(output()).not.toContain('"msg":"listening"')
      await gate.open()
      await until('it warns', async () => output().includes('doctor would fail'))
      child.kill('SIGTERM')
    })
    const { code, output } = await late
    // Nothing waits for the checks.
    expect(output).toMatch(/"msg":"listening"[\s\S]*"check":"store-bucket","msg":"npm run doctor would fail:/)
    expect(output.split('doctor would fail')).toHaveLength(2)
    await gate.close()
    expect(code).toBe(0)
    expect(output).toContain('"msg":"the database is ready"')
    expect(output).not.toContain(new URL(server.databaseUrl).password || 'no password')
  })

  test('both may go away and come back: not ready, no crash, then as before', async () => {
    const ready = async () => {
      const { status, body } = await server.get('/api/health/ready', null)
      return { status, ...body.checks, degraded: body.degraded }
    }
    const usage = async () => (await server.call(user, 'account.usage')).status
    expect([await ready(), await usage()]).toEqual([
      { status: 200, database: 'ok', objectStore: 'ok', apns: 'ok', fcm: 'ok', webPush: 'ok', degraded: [] },
      200,
    ])

    await database.shut()
    await until('not ready', async () => (await ready()).database === 'failed')
    expect((await ready()).status).toBe(503)
    expect(await usage()).toBe(500)
    expect((await server.get('/api/metrics', ADMIN_SECRET)).status).toBe(200)
    expect((await server.get('/api/health/live', null)).status).toBe(200)
    const downAt = performance.now()
    await database.open()
    await until('ready again', async () => (await ready()).status === 200)
    const backMs = performance.now() - downAt
    expect(await usage()).toBe(200)

    await store.shut()
    await until('it is told', async () => (await ready()).objectStore === 'failed')
    // A balancer must not take replicas away that can do everything else.
    expect(await ready()).toMatchObject({ status: 200, degraded: ['objectStore'] })
    expect(await usage()).toBe(200)
    await store.open()
    await until('all is well again', async () => (await ready()).degraded.length === 0)
    console.log(`ready ${Math.round(backMs)} ms after the database was back`)
  })
})

describe('SIGTERM', () => {
  const isLive = async () => (await server.get('/api/health/live', null)).status === 200
  // The test before has ended it.
  beforeEach(async () => {
    if (!(await isLive().catch(() => false))) await server.start()
  })

  /** Whether the process has logged this since now. */
  function fromNow() {
    const before = server.log.length
    return (message: string) => server.log.slice(before).some((line) => line.includes(`"msg":"${message}"`))
  }

  /** A send that the gateway holds until it is released. */
  async function heldSend() {
    const { body } = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'drain' })
    await server.ok(user, 'devices.register', { platform: 'android', token: 'drained' })
    const { faults } = server.stack.fcm
    faults.set({ hold: true })
    const answer = server.post('/api/push/send', body.token, { title: 'a', body: 'b' }).catch(() => 'cut')
    await until('the gateway has it', async () => faults.holding > 0)
    return answer
  }

  test('not ready at once but still serving; who connected before the port closed has time to ask, what is in flight finishes, a connection that is kept alive does not keep the process alive; then it ends with 0', async () => {
    const { url } = server
    const { hostname, port } = new URL(url)
    const refused = async () => {
      const probe = connect(Number(port), hostname)
      const opened = await once(probe, 'connect').then(
        () => true,
        () => false,
      )
      probe.destroy()
      return !opened
    }
    const request = 'GET /api/health/live HTTP/1.1\r\nHost: x\r\n\r\n'
    const keptAlive = connect(Number(port), hostname)
    keptAlive.write(request)
    await once(keptAlive, 'data')
    const early = connect(Number(port), hostname)
    await once(early, 'connect')
    let answer = ''
    early.on('data', (chunk) => (answer += chunk))
    const closed = [early, keptAlive].map((socket) => once(socket, 'close'))
    const inFlight = heldSend()
    await until('the gateway has it', async () => server.stack.fcm.faults.holding > 0)
    const logged = fromNow()
    server.signal('SIGTERM')
    await until('draining', async () => logged('draining'))
    const seen = await fetch(`${url}/api/health/ready`)
    expect([seen.status, (await seen.json()).status]).toEqual([503, 'draining'])
    const served = await fetch(`${url}/api/health/live`)
    expect([served.status, served.headers.get('connection')]).toEqual([200, 'close'])
    const startedAt = performance.now()
    while (!(await refused())) await new Promise((resolve) => setTimeout(resolve, 5))
    early.write(request)
    await Promise.all(closed)
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close\r\n/is)
    server.stack.fcm.faults.set({ hold: false })
    expect(await inFlight).toMatchObject({ status: 200, body: { status: 'completed', sent: 1 } })
    await until('it ended', async () => logged('stopped'))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    expect(await server.end()).toBe(0)
  })

  test('a second signal ends it at once', async () => {
    const inFlight = heldSend()
    await until('the gateway has it', async () => server.stack.fcm.faults.holding > 0)
    const logged = fromNow()
    server.signal('SIGTERM')
    await until('draining', async () => logged('draining'))
    const startedAt = performance.now()
    expect(await server.end('SIGTERM')).toBe(1)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(await inFlight).toBe('cut')
    expect(logged('forced to stop')).toBe(true)
    server.stack.fcm.faults.set({ hold: false })
  })
})

test('`next start`, without our launcher, starts the services too', async () => {
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/next/dist/bin/next'), 'start', '-p', '0'], {
    cwd: ROOT,
    env: childEnv({ ...server.env, NODE_ENV: 'production' }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  try {
    const address = () => /http:\/\/localhost:\d+/.exec(output)?.[0]
    await until('it listens', () => address() !== undefined)
    const url = address()!
    expect(await callProcedure(fetch, user, 'account.usage', undefined, url)).toMatchObject({ status: 200 })
    expect((await fetch(`${url}/signin`)).status).toBe(200)
  } finally {
    child.kill('SIGTERM')
    await exited
  }
})

test('idle memory and the time to start', () => {
  console.log(`listening after ${Math.round(startMs)} ms, ${Math.round(idleMib)} MiB resident when idle`)
  // 210 to 229 measured on 2026-11-23.
  expect(idleMib).toBeLessThan(250)
  // Alone on the machine it takes about a second; tests run side by side.
  expect(startMs).toBeLessThan(15_000)
})
