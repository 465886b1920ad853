import { execFile } from 'node:child_process'
import { createECDH, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type pg from 'pg'
import { NODE_FLAGS } from '../../src/cli/node-flags.ts'
import { type Environment, LATENCY_MS, startEnvironment } from './broadcast.environment.ts'
import type { To } from './broadcast.sender.ts'
import { createToken } from './broadcast.ts'
import type { SenderOutput } from './dispatch.sender.ts'
import { round } from './load.ts'
import { noiseOf } from './noise.ts'
import type { BenchReport, Report } from './report.ts'

const DEVICES = 300_000
const TOPIC_USERS = 100_000
const TARGET_OF_DISPATCH = 0.6
/** Tokens of unregistered devices (10%), and of devices whose first push fails temporarily (5%). */
const GONE = 'dead'
const TRANSIENT = 'beef'
const WARM_UP_DEVICES = 99

/**
 * Compares a broadcast to devices of three platforms with the gateways alone, then measures topics. The gateways are
 * strict: each reports 10% as unregistered and fails 5% at first. Argument: another number of devices.
 */
export async function run([size = String(DEVICES)]: string[]): Promise<BenchReport> {
  const total = Number(size)
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({ benchmark: false })
  closing.defer(environment.close)
  const subscription = newSubscription()
  const dispatch = await dispatchRate(environment, subscription)
  const again = await dispatchRate(environment, subscription)
  const token = await createToken(environment)
  await seed(environment, total, subscription)
  await addFaults(environment)
  const rows: Report['rows'] = []
  let failed = false

  const measure = async (what: string, to: To, expected: { accepted: number; removed: number }) => {
    const replica = await environment.replica(token)
    await environment.takeHistogram()
    const report = await replica.broadcast(to)
    const histogram = await environment.takeHistogram()
    const audience = expected.accepted + expected.removed
    const rate = audience / report.seconds
    const exact =
      report.audience === audience &&
      report.sent === expected.accepted &&
      report.removed === expected.removed &&
      report.counted === audience &&
      histogram[1] === expected.accepted &&
      Object.keys(histogram).length === 1
    if (!exact || (audience > 100_000 && rate < TARGET_OF_DISPATCH * dispatch)) failed = true
    rows.push({
      ...{ what, audience, sent: report.sent, removed: report.removed, exact: exact ? 'yes' : 'NO' },
      ...{
        seconds: round(report.seconds),
        'per second': Math.round(rate),
        'of dispatch': round(rate / dispatch),
      },
      'CPU µs per device': Math.round((report.cpuSeconds * 1e6) / audience),
    })
  }

  const gone = await count(environment.db, GONE)
  await measure('all, three platforms', { all: true }, { accepted: total - gone, removed: gone })
  // Exclude users whose devices the token's owner has.
  const users = Math.min(TOPIC_USERS, total - gone - WARM_UP_DEVICES)
  await subscribe(environment.db, 'news', users)
  await subscribe(environment.db, 'lonely', 1)
  await measure(`topic of ${users} users`, { topic: 'news' }, { accepted: users, removed: 0 })
  await measure('topic of one user', { topic: 'lonely' }, { accepted: 1, removed: 0 })
  return {
    rows,
    failed,
    noise: noiseOf('the gateways alone', { rate: dispatch }, { rate: again }),
    notes: [
      `One third each are iOS devices, Android devices and browsers. 10% are unregistered, and 5% get 503 at first. Each gateway is strict and runs in a separate process that responds after ${LATENCY_MS} ms. PostgreSQL with fsync on the same machine.`,
      `The gateway clients alone, with the same mix of prepared pushes, without faults or a database: ${Math.round(dispatch)}/s.`,
      `Targets: exact counts, ${TARGET_OF_DISPATCH} of dispatch above 100,000: ${failed ? 'MISSED' : 'met'}.`,
    ],
  }
}

type Subscription = { p256dh: string; auth: string }

/** Shared by all browsers: each message is encrypted with its own key anyway. */
function newSubscription(): Subscription {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  return { p256dh: ecdh.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') }
}

async function dispatchRate(
  { apns, fcm, webPush, vapid }: Environment,
  subscription: Subscription,
): Promise<number> {
  const input = {
    ...{ client: 'pigeonhole', count: 60_000, warmUp: 6_000, fcm },
    apns: { ...apns, topic: 'com.example.app' },
    webPush: { url: webPush.url, ...vapid, subscription },
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...NODE_FLAGS, fileURLToPath(new URL('dispatch.sender.ts', import.meta.url)), JSON.stringify(input)],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: apns.caFile }, timeout: 300_000 },
  )
  const { accepted, other, seconds } = JSON.parse(stdout.trim().split('\n').at(-1)!) as SenderOutput
  if (accepted !== input.count) throw new Error(`dispatch: ${JSON.stringify(other)}`)
  return accepted / seconds
}

async function addFaults({ apns, fcm, webPush }: Environment): Promise<void> {
  const gateways = [
    [apns, 'Unregistered', 'ServiceUnavailable'],
    [fcm, 'UNREGISTERED', 'UNAVAILABLE'],
    [webPush, 'Gone', 'ServiceUnavailable'],
  ] as const
  for (const [{ controlUrl }, gone, transient] of gateways) {
    const add = async (rule: object) => {
      const answer = await fetch(`${controlUrl}/rules`, { method: 'POST', body: JSON.stringify(rule) })
      if (!answer.ok) throw new Error(await answer.text())
    }
    await add({
      device: { prefix: GONE },
      do: { kind: 'reject', reason: gone, timestamp: Date.now() + 86_400_000 },
    })
    await add({ device: { prefix: TRANSIENT }, firstPerDevice: 1, do: { kind: 'reject', reason: transient } })
  }
}

/** Adds one device per user. */
async function seed(
  { db, webPush }: Environment,
  total: number,
  { p256dh, auth }: Subscription,
): Promise<void> {
  await db.query(
    `WITH made AS (
       INSERT INTO users (id, email)
       SELECT ('01990000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, n || '@example.com'
       FROM generate_series(1, $1::bigint) n RETURNING id, split_part(email, '@', 1)::bigint AS n),
     tokens AS (
       SELECT id, (ARRAY['ios', 'android', 'web'])[1 + n % 3]::platform AS platform,
              CASE WHEN n / 3 % 10 = 0 THEN $2 WHEN n / 3 % 20 = 1 THEN $3 ELSE 'cafe' END
                || encode(substr(sha256(n::text::bytea), 3), 'hex') AS name
       FROM made)
     INSERT INTO devices (id, user_id, platform, token, token_hash, created_at, web_p256dh, web_auth, web_service)
     SELECT id, id, platform, token, encode(sha256(token::bytea), 'hex'), now() - interval '1 day',
            CASE WHEN platform = 'web' THEN $5 END, CASE WHEN platform = 'web' THEN $6 END,
            CASE WHEN platform = 'web' THEN 'other' END
     FROM tokens, LATERAL (SELECT CASE WHEN platform = 'web' THEN $4 || name ELSE name END AS token) t`,
    [total, GONE, TRANSIENT, webPush.endpoints, p256dh, auth],
  )
  await db.query('VACUUM ANALYZE devices')
  // The token's owner gets some, for the warm-up.
  await db.query(
    `UPDATE devices SET user_id = (SELECT user_id FROM push_tokens)
     WHERE id IN (SELECT id FROM devices WHERE token LIKE '%cafe%' ORDER BY id DESC LIMIT $1)`,
    [WARM_UP_DEVICES],
  )
}

async function count(db: pg.Pool, prefix: string): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM devices WHERE token LIKE $1 OR token LIKE $2`,
    [`${prefix}%`, `%/push/${prefix}%`],
  )
  return rows[0]!.n
}

/** Users with a device that gets pushes. */
async function subscribe(db: pg.Pool, topic: string, users: number): Promise<void> {
  await db.query(
    `INSERT INTO topic_subscriptions (topic, user_id)
     SELECT $1, user_id FROM devices d
     WHERE disabled_reason IS NULL AND user_id = id ORDER BY id LIMIT $2`,
    [topic, users],
  )
  await db.query('VACUUM ANALYZE topic_subscriptions')
}
