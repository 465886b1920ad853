// Environment of a broadcast benchmark: PostgreSQL, gateways in benchmark mode, devices.

import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { spawnEmulator } from '@pigeonhole/emulators'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import pg from 'pg'
import { NODE_FLAGS } from '../../src/cli/node-flags.ts'
import { applyMigrations } from '../../src/server/adapters/postgres/migrations.ts'
import { createVapidKeys } from '../../src/server/kernel/vapid-keys.ts'
import type { SenderReport, To } from './broadcast.sender.ts'

export const LATENCY_MS = 50
const ADMIN = 'an-admin-secret-that-is-long-enough-for-tests'
const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export type Replica = { child: ChildProcess; broadcast(to?: To): Promise<SenderReport> }
export type Emulator = Record<string, string>
export type Environment = Awaited<ReturnType<typeof startEnvironment>>

type Options = {
  /** Default true: the emulators accept everything and use little CPU. With false, they are strict and have faults. */
  benchmark?: boolean
}

export async function startEnvironment({ benchmark = true }: Options = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-broadcast-'))
  const children: ChildProcess[] = []
  // With fsync, as in production.
  const postgres = await startPostgres({ dir: join(dir, 'postgres'), temporary: true })
  const databaseUrl = await postgres.createDatabase('broadcast')
  await applyMigrations({ databaseUrl, directory: file('../../prisma/migrations') })
  const db = new pg.Pool({ connectionString: databaseUrl, max: 2 })
  db.on('error', () => {})

  async function emulator(name: 'apns' | 'fcm' | 'webpush', options: object): Promise<Emulator> {
    const { addresses, child } = await spawnEmulator(name, {
      dir,
      ...options,
      benchmark,
      keepPayloads: false,
      controlPort: 0,
      settings: { latencyMs: LATENCY_MS },
    })
    children.push(child)
    return addresses as Emulator
  }

  const apns = await emulator('apns', { topics: ['com.example.app'] })
  const fcm = await emulator('fcm', {})
  const webPush = await emulator('webpush', { strictDevices: false })
  const gateways = [apns, fcm, webPush]
  const vapid = createVapidKeys()
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: apns.caFile!,
    DATABASE_URL: databaseUrl,
    NEXTAUTH_URL: 'http://127.0.0.1:3000',
    NEXTAUTH_SECRET: 'a-secret-that-is-long-enough-for-tests',
    API_RATE_PER_MINUTE: String(10 ** 9),
    PUSH_TOKEN_ADMIN_SECRET: ADMIN,
    S3_BUCKET: 'holes',
    S3_REGION: 'us-east-1',
    S3_ENDPOINT: 'http://127.0.0.1:9',
    LOG_LEVEL: 'silent',
    PUSH_SEND_RATE_PER_MINUTE: '100000',
    APNS_TEAM_ID: apns.teamId!,
    APNS_KEY_ID: apns.keyId!,
    APNS_PRIVATE_KEY: readFileSync(apns.keyFile!, 'utf8'),
    APNS_TOPIC: 'com.example.app',
    APNS_ENDPOINT: apns.url!,
    APNS_SANDBOX_ENDPOINT: apns.url!,
    FIREBASE_PROJECT_ID: fcm.projectId!,
    GOOGLE_APPLICATION_CREDENTIALS: fcm.credentialsFile!,
    FCM_ENDPOINT: fcm.url!,
    WEB_PUSH_PUBLIC_KEY: vapid.publicKey,
    WEB_PUSH_PRIVATE_KEY: vapid.privateKey,
    WEB_PUSH_SUBJECT: 'mailto:bench@example.com',
    WEB_PUSH_HOSTS: new URL(webPush.url!).host,
    WEB_PUSH_ALLOW_PRIVATE: 'true',
  }

  return {
    apns,
    fcm,
    webPush,
    vapid,
    db,
    postgres,

    /** Starts a warm replica. With a token, it accepts a broadcast on request, reports and ends. */
    async replica(token?: string): Promise<Replica> {
      const child = spawn(process.execPath, [...NODE_FLAGS, '--expose-gc', file('broadcast.sender.ts')], {
        env: token === undefined ? env : { ...env, TOKEN: token },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      children.push(child)
      const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]()
      await lines.next()
      return {
        child,
        async broadcast(to = { all: true }) {
          child.stdin!.write(`${JSON.stringify(to)}\n`)
          return JSON.parse((await lines.next()).value ?? 'null') as SenderReport
        },
      }
    },

    /** Returns the number of devices by number of pushes, over all gateways. Empties the request logs. */
    async takeHistogram(): Promise<Record<number, number>> {
      const sum: Record<number, number> = {}
      for (const { controlUrl } of gateways) {
        const histogram = (await (await fetch(`${controlUrl}/request-log/histogram`)).json()) as Record<
          string,
          number
        >
        for (const [times, devices] of Object.entries(histogram)) sum[+times] = (sum[+times] ?? 0) + devices
        await fetch(`${controlUrl}/request-log`, { method: 'DELETE' })
      }
      return sum
    },

    async accepted(): Promise<number> {
      let sum = 0
      for (const { controlUrl } of gateways) {
        const { counts } = (await (await fetch(`${controlUrl}/`)).json()) as { counts: { accepted: number } }
        sum += counts.accepted
      }
      return sum
    },

    async close(): Promise<void> {
      for (const child of children) child.kill('SIGKILL')
      await db.end()
      await postgres.stop()
      await rm(dir, { recursive: true, force: true })
    },
  }
}

/** Adds devices up to `total`, one user each, half of them iOS. IDs sort by time, like those of the app. */
export async function growTo(db: pg.Pool, total: number): Promise<void> {
  const { rows } = await db.query<{ n: number }>('SELECT count(*)::int AS n FROM devices')
  const from = rows[0]!.n
  for (let first = from; first < total; first += 50_000) {
    const last = Math.min(total, first + 50_000) - 1
    await db.query(
      `WITH made AS (
         INSERT INTO users (id, email)
         SELECT ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n || '@example.com'
         FROM generate_series($1::bigint, $2::bigint) n RETURNING id, split_part(email, '@', 1)::bigint AS n),
       tokens AS (
         SELECT id, n, CASE WHEN n % 2 = 0 THEN encode(sha256(n::text::bytea), 'hex')
                            ELSE 'fcm-' || encode(sha256(n::text::bytea), 'hex') || encode(sha256(('b' || n)::bytea), 'hex') END AS token
         FROM made)
       INSERT INTO devices (id, user_id, platform, token, token_hash)
       SELECT id, id, CASE WHEN n % 2 = 0 THEN 'ios' ELSE 'android' END::platform, token, encode(sha256(token::bytea), 'hex')
       FROM tokens`,
      [first, last],
    )
  }
  // Autovacuum does this within a minute of such a change.
  await db.query('VACUUM ANALYZE devices')
}
