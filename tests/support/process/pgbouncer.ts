// PgBouncer in transaction mode in front of the run's PostgreSQL, for `npm run test:pgbouncer`.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { until } from '../until.ts'

/** PgBouncer that `.ci/install-pgbouncer` installs if the system's is missing or too old. */
const DOWNLOADED = join(ROOT, '.data/pgbouncer/pgbouncer')
/** The first version that supports prepared statements in transaction mode. */
const MIN_VERSION = [1, 21]

export type PgBouncer = {
  version: string
  /** Returns the URL of the same database through PgBouncer. */
  through(databaseUrl: string): string
  stop(): Promise<void>
}

/** Starts PgBouncer as docs/operations.md configures it. @throws Error if no suitable version is installed */
export async function startPgBouncer(adminUrl: string, folder: string): Promise<PgBouncer> {
  const { path, version } = findPgBouncer()
  const port = await freePort()
  const { hostname, port: serverPort, username, password } = new URL(adminUrl)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(
    config,
    `[databases]
* = host=${hostname} port=${serverPort} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_prepared_statements = 200
default_pool_size = 20
min_pool_size = 0
max_client_conn = 1000
query_wait_timeout = 3
server_connect_timeout = 3
server_check_delay = 5
server_idle_timeout = 1
`,
    { mode: 0o644 },
  )
  // PgBouncer does not run as root.
  const asUser = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const child: ChildProcess = spawn(path, ['-q', ...asUser, config], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr!.on('data', (piece) => {
    errors += piece
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const through = (databaseUrl: string) =>
    Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href
  await until('PgBouncer answers', async () => {
    if (child.exitCode !== null) throw new Error(`PgBouncer has ended: ${errors}`)
    return answers(through(adminUrl))
  })
  return {
    version,
    through,
    async stop() {
      child.kill('SIGINT')
      const cut = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(cut)
    },
  }
}

function findPgBouncer(): { path: string; version: string } {
  const tried: string[] = []
  for (const path of [DOWNLOADED, '/usr/sbin/pgbouncer', 'pgbouncer']) {
    if (path.startsWith('/') && !existsSync(path)) continue
    try {
      const version = /PgBouncer (\d+\.\d+\.\d+)/.exec(
        execFileSync(path, ['--version'], { encoding: 'utf8' }),
      )?.[1]
      const [major = 0, minor = 0] = (version ?? '').split('.').map(Number)
      if (major > MIN_VERSION[0]! || (major === MIN_VERSION[0]! && minor >= MIN_VERSION[1]!))
        return { path, version: version! }
      tried.push(`${path} is ${version}`)
    } catch (error) {
      tried.push(`${path}: ${error instanceof Error ? error.message.split('\n')[0] : error}`)
    }
  }
  throw new Error(
    `PgBouncer ${MIN_VERSION.join('.')} or newer is needed: install it, or run .ci/install-pgbouncer. ${tried.join('; ')}`,
  )
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 })
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('SELECT 1')
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => {})
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
