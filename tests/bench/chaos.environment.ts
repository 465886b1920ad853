// Two replicas behind nginx, with a PostgreSQL, a store and gateways that can be stopped or made silent.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startEmulators } from '@pigeonhole/emulators'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import { buildIfNeeded, ROOT } from '../../src/cli/build-if-needed.ts'
import { applyMigrations } from '../../src/server/adapters/postgres/migrations.ts'
import { startTcpProxy } from '../support/emulators/tcp-proxy.ts'
import { freePort, hasNginx, startNginx } from './nginx.ts'

export const ADMIN = 'an-admin-secret-that-is-long-enough-for-tests'
export const SESSION_SECRET = 'a-session-secret-that-is-long-enough-for-tests'

export type ChaosEnvironment = Awaited<ReturnType<typeof startEnvironment>>

export async function startEnvironment() {
  await buildIfNeeded()
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-chaos-'))
  const postgres = await startPostgres({ dir: join(dir, 'postgres'), temporary: true })
  const databaseUrl = await postgres.createDatabase('chaos')
  await applyMigrations({
    databaseUrl,
    directory: fileURLToPath(new URL('../../prisma/migrations', import.meta.url)),
  })
  const stack = await startEmulators({
    dir,
    s3: { accessKeyId: 'chaos-access-key', secretAccessKey: 'chaos-secret-key-0123456789' },
    corsOrigins: ['*'],
  })
  // A silent peer sends nothing, not even the end of a connection. A proxy can imitate that; a stopped server cannot.
  const database = await startTcpProxy(databaseUrl)
  const store = await startTcpProxy(stack.env.S3_ENDPOINT!)
  const [front, ...ports] = [await freePort(), await freePort(), await freePort()]
  const isProxied = hasNginx()
  const urls = (isProxied ? [front] : ports).map((port) => `http://127.0.0.1:${port}`)
  let turn = 0
  const url = () => urls[turn++ % urls.length]!
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...stack.env,
    S3_ENDPOINT: store.url,
    DATABASE_URL: database.url,
    NEXTAUTH_URL: urls[0],
    NEXTAUTH_SECRET: SESSION_SECRET,
    API_RATE_PER_MINUTE: String(10 ** 9),
    PUSH_TOKEN_ADMIN_SECRET: ADMIN,
    PUSH_SEND_RATE_PER_MINUTE: '1000000',
    MAX_OPEN_UPLOADS: '1000000',
    TRUST_PROXY: '1',
    DEFAULT_STORAGE_QUOTA_BYTES: '100000000000',
  } as unknown as NodeJS.ProcessEnv
  const log: string[] = []
  const replicas = new Map<number, ChildProcess>()

  async function start(port: number): Promise<void> {
    const child = spawn(process.execPath, [join(ROOT, 'src/cli/start.ts')], {
      cwd: ROOT,
      env: { ...env, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    replicas.set(port, child)
    const listening = Promise.withResolvers<void>()
    for (const stream of [child.stdout!, child.stderr!])
      createInterface(stream).on('line', (line) => {
        if (!line.includes('"msg":"request"')) log.push(line)
        if (line.includes('"msg":"listening"')) listening.resolve()
      })
    child.once('exit', (code) =>
      listening.reject(new Error(`a replica ended with ${code}: ${log.slice(-3)}`)),
    )
    await listening.promise
  }

  async function end(port: number, signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    const child = replicas.get(port)
    if (!child || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null
    child.kill(signal)
    const [code] = await once(child, 'exit')
    return code
  }

  await Promise.all(ports.map(start))
  const nginx = isProxied ? startNginx(dir, front!, ports) : undefined
  for (;;) {
    const up = await fetch(`${url()}/api/health/ready`)
      .then((r) => r.ok)
      .catch(() => false)
    if (up) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }

  return {
    /** URL of nginx; without nginx, of one replica after the other. */
    url,
    isProxied,
    database,
    store,
    stack,
    postgres,
    databaseUrl,
    log,
    /** Stops a replica cleanly and starts it again, like an update. Returns its exit code. */
    async restart(index: number): Promise<number | null> {
      const port = ports[index % ports.length]!
      const code = await end(port)
      await start(port)
      return code
    },
    /** Kills a replica and starts it again. */
    async kill(index: number): Promise<void> {
      const port = ports[index % ports.length]!
      await end(port, 'SIGKILL')
      await start(port)
    },
    signal(index: number, signal: NodeJS.Signals): void {
      replicas.get(ports[index % ports.length]!)?.kill(signal)
    },
    async close(): Promise<void> {
      if (nginx) {
        const gone = once(nginx, 'exit')
        nginx.kill('SIGTERM')
        await gone
      }
      await Promise.all(ports.map((port) => end(port)))
      await Promise.all([database.close(), store.close()])
      await stack.close()
      await postgres.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}
