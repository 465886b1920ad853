// How the process starts, waits, fails and stops, from the view of operators and orchestrators.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { writePolicies } from '../../support/app/policies-file.ts'
import { callProcedure } from '../../support/app/trpc-call.ts'
import { startTcpProxy, type TcpProxy } from '../../support/emulators/tcp-proxy.ts'
import { ADMIN_SECRET, type BuiltServer, prepareBuiltServer } from '../../support/process/built-server.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { until } from '../../support/until.ts'
import type { TestUser } from '../../support/users.ts'

let server: BuiltServer
let user: TestUser
/** Proxies between the server and the services that it needs. */
let database: TcpProxy
let store: TcpProxy
let idleMib: number
beforeAll(async () => {
  server = await prepareBuiltServer()
  user = await server.user()
  database = await startTcpProxy(server.databaseUrl)
  store = await startTcpProxy(server.env.S3_ENDPOINT!)
  Object.assign(server.env, {
    DATABASE_URL: database.url,
    S3_ENDPOINT: store.url,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(UNCAUGHT_ERRORS)}`,
  })
  await server.start()
  const { text } = await server.get('/api/metrics', ADMIN_SECRET)
  idleMib = Number(/^process_resident_memory_bytes (\d+)/m.exec(text)![1]) / 2 ** 20
})
afterAll(async () => {
  await server?.close()
  await Promise.all([database?.close(), store?.close()])
})

/** Lets SIGUSR2 cause errors that no code catches: of a socket without a listener, in a library's callback, in a promise. */
const UNCAUGHT_ERRORS = `import { connect } from 'node:net'
process.on('SIGUSR2', () => {
  connect(9, '127.0.0.1')
  setImmediate(() => { throw new TypeError('from a library') })
  Promise.reject(new Error('from a promise'))
})`

/** Runs `npm start` with this environment until it ends. */
async function run(
  env: Record<string, string>,
  whileRunning?: (child: ChildProcess, output: () => string) => Promise<void>,
) {
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/start.ts')], {
    cwd: ROOT,
    env: childEnv({ PIGEONHOLE_ENV_FILE: '', ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const exited = once(child, 'close')
  try {
    await whileRunning?.(child, () => output)
    const [code] = await exited
    return { code, output }
  } finally {
    if (child.exitCode === null) child.kill('SIGKILL')
  }
}

test('an error that no code catches is logged and counted, and the server continues', async () => {
  const counted = async () => {
    const { text } = await server.get('/api/metrics', ADMIN_SECRET)
    return text.match(/^pigeonhole_uncaught_errors_total.*$/gm)
  }
  const total = (kind: string, count: number) => `pigeonhole_uncaught_errors_total{kind="${kind}"} ${count}`
  expect(await counted()).toEqual([total('exception', 0), total('rejection', 0)])
  server.signal('SIGUSR2')
  const expected = [total('exception', 2), total('rejection', 1)]
  await until('all errors are counted', async () => `${await counted()}` === `${expected}`)
  const lines = server.log.filter((line) => /"level":"?(50|error)/.test(line)).join('\n')
  for (const reason of ['ECONNREFUSED', 'from a library', 'from a promise']) expect(lines).toContain(reason)
  expect((await server.call(user, 'account.usage')).error).toBeUndefined()
})

describe('an invalid environment', () => {
  test('stops it at once, with one line per fault that names the variable and shows no value', async () => {
    const { code, output } = await run({
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
  })

  test('a malformed policies file stops it with one line per error, which names the policy and the field', async () => {
    const policies = writePolicies({
      a: { maxBytes: 0, maxFile: 1 },
      b: { visibility: 'public', hold: 'yes' },
      c: {},
    })
    try {
      const { code, output } = await run({ ...server.env, UPLOAD_POLICIES_FILE: policies.path })
      expect(code).toBe(1)
      const fault = (policy: string, field: string) =>
        expect.stringMatching(`^UPLOAD_POLICIES_FILE policy "${policy}", ${field}: `)
      expect(output.trim().split('\n')).toEqual([
        fault('a', 'maxBytes'),
        fault('a', 'maxFile'),
        fault('b', 'hold'),
      ])
    } finally {
      policies.remove()
    }
  })

  test('an empty environment: the error names all required variables and no others', async () => {
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

  test('a port in use is reported in one line', async () => {
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
  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s before the server listens makes it exit with 0',
    async (signal) => {
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
    },
  )

  test('startup waits for the database and logs that; then it warns once about what doctor would fail', async () => {
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
    // The checks do not delay the start.
    expect(output).toMatch(/"msg":"listening"[\s\S]*"check":"store-bucket","msg":"npm run doctor would fail:/)
    expect(output.split('doctor would fail')).toHaveLength(2)
    await gate.close()
    expect(code).toBe(0)
    expect(output).toContain('"msg":"the database is ready"')
    expect(output).not.toContain(new URL(server.databaseUrl).password || 'no password')
  })

  test('if both become unavailable and recover, the server is not ready, does not crash, and becomes ready again', async () => {
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
    await database.open()
    await until('ready again', async () => (await ready()).status === 200)
    expect(await usage()).toBe(200)

    await store.shut()
    await until('it is reported', async () => (await ready()).objectStore === 'failed')
    // A load balancer must not remove replicas that can still handle other requests.
    expect(await ready()).toMatchObject({ status: 200, degraded: ['objectStore'] })
    expect(await usage()).toBe(200)
    await store.open()
    await until('nothing is degraded', async () => (await ready()).degraded.length === 0)
  })
})

describe('SIGTERM', () => {
  const isLive = async () => (await server.get('/api/health/live', null)).status === 200
  // The previous test has ended the server.
  beforeEach(async () => {
    if (!(await isLive().catch(() => false))) await server.start()
  })

  /** Returns a function that checks whether the process has logged a text since now. */
  function fromNow() {
    const before = server.log.length
    return (message: string) => server.log.slice(before).some((line) => line.includes(`"msg":"${message}"`))
  }

  /** Sends requests until the port is closed. Returns each response's path, status, `status` of the body and Connection. */
  async function askUntilRefused(path: string) {
    const answers: Array<[string, number, string, string | null]> = []
    for (;;) {
      const response = await fetch(`${server.url}${path}`).catch(() => undefined)
      if (!response) return answers
      const { status } = await response.json()
      answers.push([path, response.status, status, response.headers.get('connection')])
    }
  }

  /** Starts a send that the gateway holds until it is released. */
  async function heldSend() {
    const { body } = await server.post('/api/push/token', ADMIN_SECRET, { userId: user.id, name: 'drain' })
    await server.ok(user, 'devices.register', { platform: 'android', token: 'drained' })
    const { faults } = server.stack.fcm
    faults.set({ hold: true })
    const answer = server.post('/api/push/send', body.token, { title: 'a', body: 'b' }).catch(() => 'cut')
    await until('the gateway has it', async () => faults.holding > 0)
    return answer
  }

  test('makes the server unready at once, but it finishes requests in flight and exits with 0 despite idle connections', async () => {
    const { url } = server
    const { hostname, port } = new URL(url)
    const rejected = () => {
      const probe = connect(Number(port), hostname)
      return new Promise<boolean>((resolve) => {
        probe.once('connect', () => resolve(false)).once('error', () => resolve(true))
      }).finally(() => probe.destroy())
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
    // Start requests before the signal, because the port closes after 0.3 s without one.
    const asking = ['/api/health/ready', '/api/health/live'].map(askUntilRefused)
    server.signal('SIGTERM')
    await until('draining', async () => logged('draining'))
    while (!(await rejected()));
    early.write(request)
    // Requests after the signal: no longer ready, but still served.
    const seen = (await Promise.all(asking)).flat()
    expect(seen).toContainEqual(['/api/health/ready', 503, 'draining', 'close'])
    expect(seen).toContainEqual(['/api/health/live', 200, 'live', 'close'])
    await Promise.all(closed)
    expect(answer).toMatch(/^HTTP\/1\.1 200 .*connection: close\r\n/is)
    server.stack.fcm.faults.set({ hold: false })
    expect(await inFlight).toMatchObject({ status: 200, body: { status: 'completed', sent: 1 } })
    await until('it ended', async () => logged('stopped'))
    expect(logged('not drained in time')).toBe(false)
    expect(await server.end()).toBe(0)
  })

  test('a second signal stops it at once', async () => {
    const inFlight = heldSend()
    await until('the gateway has it', async () => server.stack.fcm.faults.holding > 0)
    const logged = fromNow()
    server.signal('SIGTERM')
    await until('draining', async () => logged('draining'))
    expect(await server.end('SIGTERM')).toBe(1)
    expect(await inFlight).toBe('cut')
    expect(logged('forced to stop')).toBe(true)
    server.stack.fcm.faults.set({ hold: false })
  })
})

describe('node src/cli/run.mjs, as the documents start it', () => {
  /** Module that makes the launcher see Node 20: too old for TypeScript, and unable to replace its process. */
  const OLD = `data:text/javascript,${encodeURIComponent(
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.0' } }); process.execve = undefined",
  )}`
  const launch = (flags: string[], args: string[]) =>
    spawn(process.execPath, [...flags, join(ROOT, 'src/cli/run.mjs'), ...args], {
      cwd: ROOT,
      env: childEnv({ PIGEONHOLE_ENV_FILE: '', ...server.env, PORT: '0', LOG_LEVEL: 'info' }),
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  test.each<[string, string[]]>([
    ['this Node', []],
    ['an older Node', ['--import', OLD]],
  ])('%s: one SIGTERM drains the server, and it exits with 0', async (_, flags) => {
    const child = launch(flags, ['start'])
    const exited = once(child, 'close')
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    await until('it listens', async () => output.includes('"msg":"listening"') || child.exitCode !== null)
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
    expect(output).toContain('"msg":"draining"')
    expect(output).toContain('"msg":"stopped"')
    expect(output).not.toContain('forced to stop')
  })

  test('if an older Node is killed, the server ends too', async () => {
    const child = launch(['--import', OLD], ['start'])
    const exited = once(child, 'close')
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
    await until('it listens', async () => output.includes('"msg":"listening"') || child.exitCode !== null)
    child.kill('SIGKILL')
    // The pipes close only when the server has ended too.
    await exited
    expect(output).toContain('"msg":"stopped"')
  })

  test('a command keeps its arguments and exit code; an unknown command is named in the usage', async () => {
    for (const flags of [[], ['--import', OLD]]) {
      const child = launch(flags, ['doctor', '--unknown-option'])
      const [code] = await once(child, 'close')
      expect(code).toBe(1)
      const [unknown] = await once(launch(flags, ['nothing']), 'close')
      expect(unknown).toBe(2)
    }
  })
})

test('`next start`, without our launcher, also starts the services', async () => {
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

test('idle memory', () => {
  console.log(`${Math.round(idleMib)} MiB resident when idle`)
  // It is 210 to 229 on an idle machine; a busy one collects garbage later. Containers have 512.
  expect(idleMib).toBeLessThan(320)
})
