/**
 * Runs the Dockerfile's steps where no container engine is installed. The first stages run in separate folders, without
 * what .dockerignore excludes. The COPY lines of the last stage fill a folder. There, the migration, the server and the
 * HEALTHCHECK run as `nobody`, without the rest of the checkout. Run `npm run bench -- image` as root. It uses the
 * committed files.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmulators } from '@pigeonhole/emulators'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import type { BenchReport } from './report.ts'

const NOBODY = 65_534
const SECRET = 'a-secret-that-is-long-enough-for-this-check'

export async function run(): Promise<BenchReport> {
  if (process.getuid?.() !== 0)
    return { rows: [], noise: null, notes: ['left out: only root can become nobody'] }
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-image-'))
  chmodSync(dir, 0o755)
  const image = join(dir, 'app')
  assemble(dir, image)
  const node = join(dir, 'node')
  cpSync(realpathSync(process.execPath), node)

  const postgres = await startPostgres({ dir: join(dir, 'postgres'), temporary: true })
  const stack = await startEmulators({
    dir: join(dir, 'stack'),
    s3: { accessKeyId: 'image-access-key', secretAccessKey: 'image-secret-key-0123456789' },
    corsOrigins: ['*'],
  })
  const env = {
    ...onlyStore(stack.env),
    DATABASE_URL: await postgres.createDatabase('image'),
    NEXTAUTH_URL: 'http://localhost:3000',
    NEXTAUTH_SECRET: SECRET,
    PUSH_TOKEN_ADMIN_SECRET: SECRET,
    METRICS_TOKEN: SECRET,
    PORT: '0',
  }
  const start = (script: string, args: string[] = []): ChildProcess =>
    spawn(node, [script, ...args], {
      cwd: image,
      uid: NOBODY,
      gid: NOBODY,
      env: env as unknown as NodeJS.ProcessEnv,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
  try {
    const migrate = start('src/cli/migrate.ts')
    const migrated = await ended(migrate)
    const user = ended(start('src/cli/user-create.ts', ['--email', 'a@example.com', '--password', SECRET]))
    const created = await user

    const startedAt = performance.now()
    const app = start('src/cli/start.ts')
    const url = `http://127.0.0.1:${await portOf(app)}`
    const startMs = Math.round(performance.now() - startedAt)
    const ready = (await fetch(`${url}/api/health/ready`)).status
    const page = (await fetch(`${url}/signin`)).status
    const signIn = await fetch(`${url}/api/trpc/session.create`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'a@example.com', password: SECRET }),
    })
    const metrics = await fetch(`${url}/api/metrics`, { headers: { authorization: `Bearer ${SECRET}` } })
    const bytes = Number(/^process_resident_memory_bytes (\d+)/m.exec(await metrics.text())?.[1])
    const healthy = await healthCheck(node, url)
    app.kill('SIGTERM')
    const stopped = await ended(app)
    const unhealthy = await healthCheck(node, url)
    const results = { migrated, created, ready, page, signIn: signIn.status, healthy, stopped, unhealthy }
    const wanted = {
      ...{ migrated: 0, created: 0, ready: 200, page: 200, signIn: 200, healthy: 0, stopped: 0 },
      unhealthy: 1,
    }
    return {
      noise: null,
      rows: [
        {
          'MB without Node and Debian': megabytes(image),
          'MB of it packages': megabytes(join(image, 'node_modules')),
          'start ms': startMs,
          'MiB after the first requests': Math.round(bytes / 2 ** 20),
        },
      ],
      notes: [`exit codes and statuses: ${JSON.stringify(results)}`],
      failed: JSON.stringify(results) !== JSON.stringify(wanted),
    }
  } finally {
    await stack.close()
    await postgres.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Runs all three stages. */
function assemble(dir: string, image: string): void {
  const stages = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').split(/^FROM /m)
  const [build, packages] = [join(dir, 'build'), join(dir, 'packages')]
  mkdirSync(build)
  const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n').filter(Boolean)
  sh(`git -C '${ROOT}' archive HEAD | tar -x && rm -rf ${ignored.join(' ')}`, build)
  for (const command of commandsOf(stages[1])) sh(command, build)
  for (const [, what] of (stages[2] ?? '').matchAll(/^COPY (.+)$/gm)) {
    const files = what!.split(' ').slice(0, -1)
    for (const file of files) cpSync(join(ROOT, file), join(packages, file))
  }
  for (const command of commandsOf(stages[2])) sh(command, packages)
  const from = { build, packages }
  for (const [, stage, what] of (stages[3] ?? '').matchAll(/^COPY (?:--from=(\w+) )?(.+)$/gm)) {
    const parts = what!.split(' ')
    const target = parts.pop()!
    for (const part of parts) {
      const path = part.replace(/^\/app\//, '')
      const to = join(image, target === './' ? path : target)
      mkdirSync(dirname(to), { recursive: true })
      // Use the context that the first stage got, before it ran.
      cpSync(join(from[stage as keyof typeof from] ?? build, path), to, {
        recursive: true,
        verbatimSymlinks: true,
      })
    }
  }
}

/** Returns the RUN lines, which each run in their own shell with a clean environment. */
const commandsOf = (stage = '') =>
  [...stage.matchAll(/^RUN ((?:.*\\\n)*.*)$/gm)].map((match) => match[1]!.replace(/\\\n/g, ' '))

function sh(command: string, cwd: string): void {
  const { PATH, HOME } = process.env
  const env = { PATH, HOME } as unknown as NodeJS.ProcessEnv
  const { status, stderr, stdout } = spawnSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${command} failed:\n${stdout}\n${stderr}`)
}

/** Runs the Dockerfile's HEALTHCHECK against this server and returns its exit code. */
async function healthCheck(node: string, url: string): Promise<number | null> {
  const line = /^HEALTHCHECK [^\n]*\\\n +CMD (.*)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))![1]!
  const [, ...args] = JSON.parse(line) as string[]
  return ended(spawn(node, args, { uid: NOBODY, gid: NOBODY, env: { PORT: new URL(url).port } as never }))
}

/** Returns the environment without the gateways, whose keys are files that only root can read. */
function onlyStore(env: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => name.startsWith('S3_')))
}

async function ended(child: ChildProcess): Promise<number | null> {
  child.stdout?.resume()
  const [code] = await once(child, 'exit')
  return code
}

function portOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface(child.stdout!).on('line', (line) => {
      const port = /"port":(\d+),"msg":"listening"/.exec(line)?.[1]
      if (port) resolve(port)
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
}

function megabytes(path: string): number {
  return Number(spawnSync('du', ['-sm', path], { encoding: 'utf8' }).stdout.split('\t')[0])
}
