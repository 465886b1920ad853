import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnEmulator } from '@pigeonhole/emulators'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import pg from 'pg'
import { buildIfNeeded, ROOT } from '../../src/cli/build-if-needed.ts'
import { NODE_FLAGS } from '../../src/cli/node-flags.ts'
import { applyMigrations } from '../../src/server/adapters/postgres/migrations.ts'
import { createUser } from '../support/users.ts'

export const SECRET = 'a-secret-that-is-long-enough-for-a-benchmark'
const TOPIC = 'com.example.app'
const START_MS = 60_000

export type Environment = Awaited<ReturnType<typeof startEnvironment>>
export type App = { url: string; pid: number; stop(): Promise<void> }

/**
 * Starts PostgreSQL with fsync as in production, the S3 emulator and, on request, both gateways in benchmark mode. Each is
 * a process. `app` starts the built server (of `version`), which writes its usual log to a file.
 */
export async function startEnvironment(
  options: { gatewayLatencyMs?: number; env?: Record<string, string>; root?: string } = {},
) {
  const root = options.root ?? ROOT
  if (root === ROOT) await buildIfNeeded()
  const closing = new AsyncDisposableStack()
  try {
    const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-bench-'))
    closing.defer(() => rm(dir, { recursive: true, force: true }))
    const postgres = await startPostgres({ dir: join(dir, 'postgres'), temporary: true })
    closing.defer(() => postgres.stop())
    const databaseUrl = await postgres.createDatabase('bench')
    await applyMigrations({ databaseUrl, directory: join(root, 'prisma/migrations') })
    const db = new pg.Pool({ connectionString: databaseUrl, max: 2 })
    closing.defer(() => db.end())

    const keys = { accessKeyId: 'bench-access-key', secretAccessKey: 'bench-secret-key' }
    const s3 = await emulator(closing, 's3', {
      dir: join(dir, 's3'),
      region: 'us-east-1',
      buckets: ['holes'],
      ...keys,
    })
    const env: Record<string, string> = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      DATABASE_URL: databaseUrl,
      NEXTAUTH_URL: 'http://app.test',
      NEXTAUTH_SECRET: SECRET,
      API_RATE_PER_MINUTE: String(10 ** 9),
      PUSH_TOKEN_ADMIN_SECRET: SECRET,
      S3_BUCKET: 'holes',
      S3_REGION: 'us-east-1',
      S3_ENDPOINT: s3.url!,
      S3_FORCE_PATH_STYLE: 'true',
      S3_ACCESS_KEY_ID: keys.accessKeyId,
      S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
      // A benchmark's few users start as many uploads as thousands would.
      MAX_OPEN_UPLOADS: '1000000',
      PORT: '0',
      ...(options.gatewayLatencyMs !== undefined && (await gateways(closing, dir, options.gatewayLatencyMs))),
      ...options.env,
    }
    let apps = 0
    const user = () =>
      createUser({ config: { databaseUrl, sessionSecret: SECRET } }, { quotaBytes: Number.MAX_SAFE_INTEGER })
    return {
      db,
      databaseUrl,
      env,
      user,
      dir,
      app: (args: string[] = [], version = root) =>
        startApp(closing, version, join(dir, `app-${apps++}.log`), env, args),
      close: () => closing.disposeAsync(),
    }
  } catch (error) {
    await closing.disposeAsync()
    throw error
  }
}

/** Starts the command of `npm start`. Resolves when it listens. */
async function startApp(
  closing: AsyncDisposableStack,
  root: string,
  logFile: string,
  env: Record<string, string>,
  args: string[],
): Promise<App> {
  const log = openSync(logFile, 'w')
  const child = spawn(process.execPath, [...NODE_FLAGS, ...args, join(root, 'src/cli/start.ts')], {
    cwd: root,
    env: { PIGEONHOLE_ENV_FILE: '', ...env } as unknown as NodeJS.ProcessEnv,
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  const stop = () => end(child)
  closing.defer(stop)
  const deadline = performance.now() + START_MS
  for (;;) {
    const text = readFileSync(logFile, 'utf8')
    const port = /"port":(\d+),"msg":"listening"/.exec(text)?.[1]
    if (port !== undefined) return { url: `http://127.0.0.1:${port}`, pid: child.pid!, stop }
    if (child.exitCode !== null || performance.now() > deadline)
      throw new Error(`the server did not start:\n${text}`)
    await sleep(20)
  }
}

async function gateways(closing: AsyncDisposableStack, dir: string, latencyMs: number) {
  const options = { dir, benchmark: true, keepPayloads: false, settings: { latencyMs } }
  const apns = await emulator(closing, 'apns', { ...options, topics: [TOPIC] })
  const fcm = await emulator(closing, 'fcm', options)
  return {
    NODE_EXTRA_CA_CERTS: apns.caFile!,
    APNS_TEAM_ID: apns.teamId!,
    APNS_KEY_ID: apns.keyId!,
    APNS_PRIVATE_KEY: readFileSync(apns.keyFile!, 'utf8'),
    APNS_TOPIC: TOPIC,
    APNS_ENDPOINT: apns.url!,
    APNS_SANDBOX_ENDPOINT: apns.url!,
    FIREBASE_PROJECT_ID: fcm.projectId!,
    GOOGLE_APPLICATION_CREDENTIALS: fcm.credentialsFile!,
    FCM_ENDPOINT: fcm.url!,
  }
}

async function emulator(
  closing: AsyncDisposableStack,
  name: 's3' | 'apns' | 'fcm',
  options: Record<string, unknown>,
) {
  const spawned = await spawnEmulator(name, options)
  closing.defer(() => spawned.stop())
  return spawned.addresses
}

/** Starts a Node process whose first line of JSON contains its URL. */
export async function spawnService(
  closing: AsyncDisposableStack,
  args: string[],
  { cwd, env = {} }: { cwd?: string; env?: Record<string, string> } = {},
): Promise<Record<string, string>> {
  const child = spawn(process.execPath, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  closing.defer(() => end(child))
  const lines = createInterface({ input: child.stdout! })
  lines.on('close', () => child.stdout!.resume())
  for await (const line of lines) if (line.startsWith('{')) return JSON.parse(line)
  throw new Error(`${args[0]} ended before it listened`)
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
}
