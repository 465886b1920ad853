// Two replicas behind nginx, with a PostgreSQL and a store that can be stopped.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { startEmulators } from '@pigeonhole/emulators'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import { buildIfNeeded, ROOT } from '../../src/cli/build-if-needed.ts'
import { applyMigrations } from '../../src/server/data/postgres/migrations.ts'

export const ADMIN = 'an-admin-secret-that-is-long-enough-for-tests'
export const SESSION_SECRET = 'a-session-secret-that-is-long-enough-for-tests'

export type ChaosEnvironment = Awaited<ReturnType<typeof startEnvironment>>

/** Whether Debian's nginx is here. */
export function hasNginx(): boolean {
  return spawnSync('nginx', ['-v']).error === undefined
}

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
  const [front, ...ports] = [await freePort(), await freePort(), await freePort()]
  const url = `http://127.0.0.1:${front}`
  const env = {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    ...stack.env,
    DATABASE_URL: databaseUrl,
    NEXTAUTH_URL: url,
    NEXTAUTH_SECRET: SESSION_SECRET,
    API_RATE_PER_MINUTE: String(10 ** 9),
    PUSH_TOKEN_ADMIN_SECRET: ADMIN,
    PUSH_SEND_RATE_PER_MINUTE: '1000000',
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

  async function end(port: number): Promise<number | null> {
    const child = replicas.get(port)
    if (!child || child.exitCode !== null) return child?.exitCode ?? null
    child.kill('SIGTERM')
    const [code] = await once(child, 'exit')
    return code
  }

  await Promise.all(ports.map(start))
  writeFileSync(join(dir, 'nginx.conf'), nginxConfig(dir, front!, ports))
  const nginx = spawn('nginx', ['-e', join(dir, 'error.log'), '-p', dir, '-c', join(dir, 'nginx.conf')], {
    stdio: 'inherit',
  })
  for (;;) {
    const up = await fetch(`${url}/api/health/ready`)
      .then((r) => r.ok)
      .catch(() => false)
    if (up) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }

  return {
    url,
    stack,
    postgres,
    databaseUrl,
    log,
    /** Ends a replica in order and starts it again, as an update does; tells its exit code. */
    async restart(index: number): Promise<number | null> {
      const port = ports[index % ports.length]!
      const code = await end(port)
      await start(port)
      return code
    },
    async close(): Promise<void> {
      const gone = once(nginx, 'exit')
      nginx.kill('SIGTERM')
      await gone
      await Promise.all(ports.map(end))
      await stack.close()
      await postgres.stop()
      rmSync(dir, { recursive: true, force: true })
    },
  }
}

/** What Debian's package does by default, and no more than a proxy needs. */
function nginxConfig(dir: string, front: number, ports: number[]): string {
  return `daemon off; pid ${dir}/nginx.pid; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path ${dir}/body; proxy_temp_path ${dir}/proxy;
  fastcgi_temp_path ${dir}/f; uwsgi_temp_path ${dir}/u; scgi_temp_path ${dir}/s;
  upstream app {
    ${ports.map((port) => `server 127.0.0.1:${port} max_fails=1 fail_timeout=1s;`).join('\n    ')}
  }
  server {
    listen 127.0.0.1:${front};
    location / {
      proxy_pass http://app;
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_connect_timeout 2s;
    }
  }
}
`
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  return typeof address === 'object' && address ? address.port : 0
}
