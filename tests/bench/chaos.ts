/**
 * Two replicas behind nginx under load; one is restarted every few seconds, PostgreSQL twice, the store is away
 * for 20 s. `npm run bench -- chaos`; needs Debian's nginx.
 */
import pg from 'pg'
import { createUser, type TestUser } from '../support/users.ts'
import {
  ADMIN,
  type ChaosEnvironment,
  hasNginx,
  SESSION_SECRET,
  startEnvironment,
} from './chaos.environment.ts'
import { createLoad, type Fault, type Load } from './chaos.load.ts'
import type { Report } from './report.ts'

/** Errors up to that long after something came back are part of its outage. */
const RECOVERY_MS = 3_000
const STORE_DOWN_MS = 20_000
const DEVICES = 200

type Outage = { what: string; from: number; to: number }

export async function run(): Promise<Report> {
  if (!hasNginx())
    return {
      rows: [],
      notes: ['left out: nginx is not installed (apt-get install nginx)'],
      failed: Boolean(process.env.CI),
    }
  const environment = await startEnvironment()
  try {
    return await perform(environment)
  } finally {
    await environment.close()
  }
}

async function perform(environment: ChaosEnvironment): Promise<Report> {
  const db = new pg.Pool({ connectionString: environment.databaseUrl, max: 1 })
  db.on('error', () => {})
  const config = { databaseUrl: environment.databaseUrl, sessionSecret: SESSION_SECRET }
  const user = await createUser({ config })
  const pushToken = await prepare(environment, user)

  const load = createLoad(environment.url, user, pushToken)
  const outages: Outage[] = []
  const codes: (number | null)[] = []
  const during = async (what: string, work: () => Promise<void>) => {
    const from = performance.now()
    await work()
    outages.push({ what, from, to: performance.now() })
  }
  let restarting = true
  const restarts = (async () => {
    for (let i = 0; restarting; i++) {
      await sleep(3_000)
      codes.push(await environment.restart(i))
    }
  })()

  await sleep(10_000)
  await during('PostgreSQL restart', () => environment.postgres.restart())
  await sleep(10_000)
  await during('store away', async () => {
    await environment.stack.s3.down()
    await sleep(STORE_DOWN_MS)
    await environment.stack.s3.up()
  })
  await sleep(8_000)
  await during('PostgreSQL restart', () => environment.postgres.restart())
  await sleep(10_000)
  restarting = false
  await restarts
  await load.stop()

  const lost = await findLost(environment, db, load, user.headers, pushToken)
  await db.end()
  return report(load, outages, codes, lost)
}

async function prepare(environment: ChaosEnvironment, user: TestUser): Promise<string> {
  const post = async (path: string, auth: Record<string, string>, body: unknown) => {
    const response = await fetch(`${environment.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...auth },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  await post('/api/trpc/devices.register', user.headers, { platform: 'android', token: 'the-phone' })
  for (let i = 0; i < DEVICES; i++) {
    const other = await createUser({
      config: { databaseUrl: environment.databaseUrl, sessionSecret: SESSION_SECRET },
    })
    const token = i.toString(16).padStart(64, '0')
    await post('/api/trpc/devices.register', other.headers, { platform: 'ios', token })
  }
  const { token } = await post(
    '/api/push/token',
    { authorization: `Bearer ${ADMIN}` },
    { userId: user.id, name: 'chaos' },
  )
  return token
}

/** Promises that were not kept. */
async function findLost(
  environment: ChaosEnvironment,
  db: pg.Pool,
  load: Load,
  headers: Record<string, string>,
  pushToken: string,
): Promise<string[]> {
  const lost: string[] = []
  for (const fileId of load.files) {
    const input = encodeURIComponent(JSON.stringify({ fileId }))
    const answer = await (
      await fetch(`${environment.url}/api/trpc/files.downloadUrl?input=${input}`, { headers })
    ).json()
    const url = answer.result?.data.url
    const bytes = url && (await (await fetch(url)).arrayBuffer()).byteLength
    if (bytes !== 20_000) lost.push(`file ${fileId}`)
  }
  const arrived = new Set(
    environment.stack.fcm.requestLog.accepted.map(
      ({ payload }) => (payload as { data?: { key?: string } }).data?.key,
    ),
  )
  for (const { id, key } of load.pushes) if (!arrived.has(key)) lost.push(`push ${id}`)
  const deadline = performance.now() + 60_000
  for (const id of load.broadcasts)
    for (;;) {
      const response = await fetch(`${environment.url}/api/push/messages/${id}`, {
        headers: { authorization: `Bearer ${pushToken}` },
      })
      const message = (await response.json()) as { status: string; sent: number }
      if (message.status === 'completed' && message.sent === DEVICES + 1) break
      if (message.status === 'completed' || performance.now() > deadline) {
        lost.push(`broadcast ${id}: ${JSON.stringify(message)}`)
        break
      }
      await sleep(200)
    }
  const { rows } = await db.query(
    `SELECT u.id FROM users u LEFT JOIN files f ON f.user_id = u.id GROUP BY u.id
     HAVING u.used_bytes <> coalesce(sum(f.used_bytes), 0) OR u.reserved_bytes <> coalesce(sum(f.reserved_bytes), 0)`,
  )
  for (const { id } of rows) lost.push(`quota of ${id}`)
  return lost
}

function report(load: Load, outages: Outage[], codes: (number | null)[], lost: string[]): Report {
  const outageOf = ({ at }: Fault) => outages.find(({ from, to }) => at >= from && at <= to + RECOVERY_MS)
  const unexplained = load.faults.filter((fault) => !outageOf(fault))
  const sorted = load.latencies.toSorted((a, b) => a - b)
  const ms = (share: number) => Math.round(sorted[Math.floor(sorted.length * share)] ?? 0)
  const rows = outages.map(({ what, from, to }) => {
    const during = load.faults.filter(({ at }) => at >= from && at <= to + RECOVERY_MS)
    return {
      what,
      'away s': ((to - from) / 1000).toFixed(1),
      errors: during.length,
      'last error s after': (Math.max(0, ...during.map(({ at }) => at - to)) / 1000).toFixed(1),
    }
  })
  const ended = codes.filter((code) => code === 0).length
  return {
    rows: [
      ...rows,
      {
        what: `${codes.length} restarts of a replica`,
        'away s': '',
        errors: unexplained.length,
        'last error s after': '',
      },
    ],
    notes: [
      `${load.calls()} calls, p50 ${ms(0.5)} ms, p99 ${ms(0.99)} ms; ${ended} of ${codes.length} replicas ended with 0.`,
      `Acknowledged: ${load.files.length} files, ${load.pushes.length} pushes, ${load.broadcasts.length} broadcasts to ${DEVICES + 1} devices; lost: ${lost.length}.`,
      ...lost.slice(0, 10),
      ...unexplained
        .slice(0, 10)
        .map(({ what, status }) => `error while nothing was down: ${what} ${status}`),
    ],
    failed: lost.length > 0 || unexplained.length > 0 || ended < codes.length,
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
