import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { until } from '../support/until.ts'
import { SECRET, spawnService, startEnvironment } from './environment.ts'
import { noiseOf } from './noise.ts'
import type { BenchReport } from './report.ts'

const RECEIVER = fileURLToPath(new URL('./webhooks.receiver.ts', import.meta.url))
const HOUR_MS = 3_600_000
const ROUNDS = 5
const UPDATES = 20_000

/** Measures how fast one replica delivers events to one receiver, and what triggers cost without subscriptions. */
export async function run([count = '100000']: string[]): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({ env: { WEBHOOKS_ALLOW_PRIVATE: 'true' } })
  closing.defer(environment.close)
  const { db } = environment
  const trigger = await triggerCost(db)

  const app = await environment.app()
  const receiver = await spawnService(closing, [RECEIVER])
  const created = await fetch(`${app.url}/api/admin/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: `${receiver.url}/`, events: ['push.completed'] }),
  })
  if (created.status !== 201) throw new Error(`no webhook: ${await created.text()}`)
  const events = Number(count)
  const half = Math.floor(events / 2)
  const written = performance.now()
  await db.query(
    `SELECT write_webhook_event('push.completed', jsonb_build_object('n', n)) FROM generate_series(1, $1::int) AS n`,
    [events],
  )
  const start = performance.now()
  const cpuBefore = await cpuSeconds(app.pid)
  let received = { events: 0, requests: 0 }
  let halfAt = 0
  await until(
    'all events arrive',
    async () => {
      received = (await (await fetch(receiver.url!)).json()) as typeof received
      if (halfAt === 0 && received.events >= half) halfAt = performance.now()
      return received.events === events
    },
    HOUR_MS,
    200,
  )
  const seconds = (performance.now() - start) / 1000
  const cpu = (await cpuSeconds(app.pid)) - cpuBefore
  return {
    rows: [
      {
        what: 'events delivered',
        count: events,
        'per second': Math.round(events / seconds),
        'server CPU µs': Math.round((cpu * 1e6) / events),
        repeats: received.requests - received.events,
      },
      {
        what: 'events written, in one statement',
        count: events,
        'per second': Math.round((events * 1000) / (start - written)),
      },
    ],
    notes: [
      `Without subscriptions, triggers add ${trigger.toFixed(1)} µs of PostgreSQL’s time to a change of a file’s state (${UPDATES.toLocaleString('en')} rows in one statement, best of ${ROUNDS}).`,
      'One replica, one receiver on the same machine, 20 deliveries at a time; fsync on.',
    ],
    noise: noiseOf(
      'half of the deliveries',
      { time: halfAt - start },
      { time: seconds * 1000 - (halfAt - start) },
    ),
    failed: received.requests !== events,
  }
}

/** Returns the microseconds that the trigger adds to a row whose state changes, without a webhook. */
async function triggerCost(db: pg.Pool): Promise<number> {
  await db.query(`INSERT INTO users (id, email) VALUES (gen_random_uuid(), 'triggers@example.com')`)
  await db.query(
    `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, key, state, reserved_bytes)
     SELECT gen_random_uuid(), users.id, 'a.png', 'image/png', 1, 'files/' || n, 'PENDING', 1
     FROM users, generate_series(1, $1::int) AS n WHERE email = 'triggers@example.com'`,
    [UPDATES],
  )
  const took = async () => {
    const client = await db.connect()
    try {
      await client.query('BEGIN')
      const start = performance.now()
      await client.query(`UPDATE files SET state = 'EXPIRED' WHERE state = 'PENDING'`)
      return performance.now() - start
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
  }
  let [on, off] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let n = 0; n < ROUNDS; n++) {
    await db.query('ALTER TABLE files ENABLE TRIGGER files_write_event')
    on = Math.min(on, await took())
    await db.query('ALTER TABLE files DISABLE TRIGGER files_write_event')
    off = Math.min(off, await took())
  }
  await db.query('ALTER TABLE files ENABLE TRIGGER files_write_event')
  await db.query('DELETE FROM files')
  return ((on - off) * 1000) / UPDATES
}

/** Returns the process's user and system time so far, from /proc. */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return stat === '' ? 0 : (Number(fields[11]) + Number(fields[12])) / 100
}
