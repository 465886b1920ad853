import type pg from 'pg'
import { startEnvironment } from './environment.ts'
import { type Call, type LoadOutput, load, round } from './load.ts'
import { noiseOf } from './noise.ts'
import type { BenchReport } from './report.ts'
import { addDevices, createPushToken } from './seed.ts'

const SIZES = [10_000, 1_000_000]
const LARGEST = 10_000_000
const TARGET = 1.3
const ROUNDS = 3
const SECONDS = 1
const GATEWAY_MS = 50
/** Rows of one INSERT. */
const STEP = 250_000
/** Files of the measured user. Every other user has 10. */
const OWN_FILES = 1_000
/** Messages of the measured user and of the push token. */
const OWN_MESSAGES = 1_000

/**
 * Measures the same calls of the same user while the tables fill with other users' files, devices, sessions, messages
 * and audit entries. Arguments: `--rows N` sets the largest size; `--large` adds 10 million rows (about 9 GB of disk,
 * several minutes).
 */
export async function run(args: string[]): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({
    gatewayLatencyMs: GATEWAY_MS,
    env: { PUSH_SEND_RATE_PER_MINUTE: String(10 ** 9) },
  })
  closing.defer(environment.close)
  const user = await environment.user()
  await addDevices(environment.db, [user.id])
  await ownFiles(environment.db, user.id)
  const token = await createPushToken(environment.db, user.id)
  await ownMessages(environment.db, user.id)

  const json = { ...user.headers, 'content-type': 'application/json' }
  const calls: Record<string, Call> = {
    'upload.requestUploadUrl': {
      method: 'POST',
      path: '/api/trpc/upload.requestUploadUrl',
      headers: json,
      body: JSON.stringify({ filename: 'photo.png', mimeType: 'image/png', size: 1 }),
    },
    'files.list': { method: 'GET', path: '/api/trpc/files.list', headers: json },
    'account.usage': { method: 'GET', path: '/api/trpc/account.usage', headers: json },
    'account.sessions': { method: 'GET', path: '/api/trpc/account.sessions', headers: json },
    'messages.list': { method: 'GET', path: '/api/trpc/messages.list', headers: json },
    'GET push/messages': {
      method: 'GET',
      path: '/api/push/messages',
      headers: { authorization: `Bearer ${token}` },
    },
    'push/send': {
      method: 'POST',
      path: '/api/push/send',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Hello', body: 'A pigeon has come' }),
    },
  }

  const sizes = sizesOf(args)
  const medians: Record<string, number[]> = Object.fromEntries(Object.keys(calls).map((name) => [name, []]))
  const app = await environment.app()
  const measure = (call: Call) =>
    load({
      ...{ origin: app.url, serverPid: app.pid, calls: [call], connections: 1 },
      seconds: SECONDS,
      warmUpSeconds: 0.5,
    })
  let warm = false
  for (const size of sizes) {
    await growTo(environment.db, size)
    const rounds: Record<string, LoadOutput[]> = Object.fromEntries(
      Object.keys(calls).map((name) => [name, []]),
    )
    // Measure twice at the first size, because the code gets faster for a while after the start.
    for (let n = warm ? 0 : -ROUNDS; n < ROUNDS; n++)
      for (const [name, call] of Object.entries(calls)) {
        const output = await measure(call)
        if (n >= 0) rounds[name]!.push(output)
      }
    warm = true
    // Use the fastest round, because other work on the machine only slows rounds down.
    for (const [name, outputs] of Object.entries(rounds))
      medians[name]!.push(Math.min(...outputs.map((o) => o.p50Ms)))
  }

  const [first] = Object.keys(calls)
  const again: number[] = []
  for (let n = 0; n < ROUNDS; n++) again.push((await measure(calls[first!]!)).p50Ms)
  const worst = Math.max(...Object.values(medians).map((list) => Math.max(...list) / list[0]!))
  const { rows: disk } = await environment.db.query<{ bytes: string }>(
    'SELECT pg_database_size(current_database()) AS bytes',
  )
  return {
    rows: Object.entries(medians).map(([name, list]) => ({
      call: name,
      ...Object.fromEntries(list.map((ms, i) => [`p50 ms at ${words(sizes[i]!)}`, round(ms)])),
      'largest of smallest': round(list.at(-1)! / list[0]!),
    })),
    notes: [
      `One connection makes one call after another; lowest p50 of ${ROUNDS} rounds of ${SECONDS} s. Each column names the number of files, devices, sessions, messages and audit entries, ${(Number(disk[0]!.bytes) / 2 ** 30).toFixed(1)} GB at the end. The user has ${OWN_FILES} files, ${OWN_MESSAGES} messages and 2 devices.`,
      `Every call looks up a session or a push token; push/send also writes a message and an audit entry, and waits ${GATEWAY_MS} ms for its gateways.`,
      `target: within ${TARGET} of the smallest; worst ${worst.toFixed(2)}`,
    ],
    noise: noiseOf(first!, { p50: medians[first!]!.at(-1)! }, { p50: Math.min(...again) }),
    failed: worst > TARGET,
  }
}

function sizesOf(args: string[]): number[] {
  const at = args.indexOf('--rows')
  if (at >= 0) return [SIZES[0]!, Number(args[at + 1])]
  return args.includes('--large') ? [...SIZES, LARGEST] : SIZES
}

const words = (rows: number) =>
  rows >= 1_000_000 ? `${rows / 1_000_000} million` : `${rows / 1_000} thousand`

async function ownFiles(db: pg.Pool, userId: string): Promise<void> {
  await db.query(`${filesSql} FROM generate_series(1, $2::bigint) n, (SELECT $1::uuid AS id) u`, [
    userId,
    OWN_FILES,
  ])
}

async function ownMessages(db: pg.Pool, userId: string): Promise<void> {
  await db.query(
    `INSERT INTO push_messages (id, push_token_id, user_id, category, content, status, audience_ios, sent,
       expires_at, completed_at)
     SELECT uuidv7(interval '-30 days' + n * interval '1 ms'), (SELECT id FROM push_tokens WHERE user_id = $1), $1,
       'general', '{"title":"Hello","body":"A pigeon has come","category":"general"}', 'completed', 2, 2, now(), now()
     FROM generate_series(1, $2::bigint) n`,
    [userId, OWN_MESSAGES],
  )
}

/** IDs sort by time, like those of the app. `u.id` is the owner, `n` the sequence number. */
const filesSql = `
  INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, used_bytes, etag, ready_at)
  SELECT uuidv7(interval '-30 days' + n * interval '1 ms'), u.id, 'photo-' || n || '.png', 'image/png', 1,
    'files/' || u.id || '/' || n || '-' || md5(n::text) || '/photo.png', 'READY', 1, md5(n::text), now()`

/** Adds other users' rows, up to `total` per table, with ten files and ten devices per user. */
export async function growTo(db: pg.Pool, total: number): Promise<void> {
  const countUsers = async () =>
    Number((await db.query(`SELECT count(*) FROM users WHERE email LIKE 'p%'`)).rows[0].count)
  const wanted = total / 10
  for (let first = await countUsers(); first < wanted; first += STEP / 10) {
    const last = Math.min(wanted, first + STEP / 10) - 1
    const range = [first, last]
    await db.query(
      `INSERT INTO users (id, email, used_bytes)
       SELECT ${userId('n')}, 'p' || n || '@example.com', 10 FROM generate_series($1::bigint, $2::bigint) n`,
      range,
    )
    await db.query(
      `${filesSql} FROM generate_series($1::bigint * 10 + 1000000000, $2::bigint * 10 + 1000000009) n,
         LATERAL (SELECT ${userId('(n - 1000000000) / 10')} AS id) u`,
      range,
    )
    await db.query(
      `INSERT INTO devices (id, user_id, platform, token, token_hash)
       SELECT uuidv7(interval '-30 days' + n * interval '1 ms'), ${userId('n / 10')},
         CASE WHEN n % 2 = 0 THEN 'ios' ELSE 'android' END::platform, md5(n::text) || md5('a' || n), md5(n::text) || md5('b' || n)
       FROM generate_series($1::bigint * 10, $2::bigint * 10 + 9) n`,
      range,
    )
    await db.query(
      `INSERT INTO sessions (id, user_id, epoch, created_at, last_seen_at, expires_at)
       SELECT uuidv7(interval '-30 days' + n * interval '1 ms'), ${userId('n / 10')}, 0, now(), now(), now() + interval '30 days'
       FROM generate_series($1::bigint * 10, $2::bigint * 10 + 9) n`,
      range,
    )
    await db.query(
      `WITH sent AS (
         INSERT INTO push_messages (id, user_id, category, content, status, audience_ios, sent, expires_at, completed_at)
         SELECT uuidv7(interval '-30 days' + n * interval '1 ms'), ${userId('n / 10')}, 'general',
           '{"title":"Hello","body":"A pigeon has come","category":"general"}', 'completed', 1, 1, now(), now()
         FROM generate_series($1::bigint * 10, $2::bigint * 10 + 9) n RETURNING id, user_id)
       INSERT INTO audit_entries (id, action, user_id, subject_id) SELECT id, 'push.sent', user_id, id::text FROM sent`,
      range,
    )
  }
  // Autovacuum does this within a minute of such a change.
  await db.query('VACUUM ANALYZE users, files, devices, sessions, push_messages, audit_entries')
  await db.query('CHECKPOINT')
}

/** Returns SQL for the ID of a user by number. */
function userId(n: string): string {
  return `('01990000-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
}
