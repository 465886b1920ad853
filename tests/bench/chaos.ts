/**
 * Runs two replicas behind nginx under load, with one fault after another. `npm run bench -- chaos` takes about eight
 * minutes. Without Debian's nginx, clients call the replicas in turn. `-- chaos PATTERN` selects faults by name.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createUser, type TestUser } from '../support/users.ts'
import { ADMIN, type ChaosEnvironment, SESSION_SECRET, startEnvironment } from './chaos.environment.ts'
import { faultsOf } from './chaos.faults.ts'
import { type Call, createLoad, findLost, type Load } from './chaos.load.ts'
import type { BenchReport } from './report.ts'

/** Duration of the load before each fault, so that calls are in flight when it begins. */
const WARM_UP_MS = 1_000
/** Time without a fault after each one. */
const QUIET_MS = 15_000
// The targets of the run.
const MAX_RECOVERY_MS = 15_000
const MAX_WAIT_MS = 30_000
const DEVICES = 200

/** `from` and `to`: start and end of the fault. `calls`: all calls from shortly before until after it. */
type Period = { what: string; from: number; to: number; calls: Call[] }

export async function run(args: string[]): Promise<BenchReport> {
  const environment = await startEnvironment()
  try {
    return await perform(environment, args[0] ?? '')
  } finally {
    await environment.close()
  }
}

async function perform(environment: ChaosEnvironment, pattern: string): Promise<BenchReport> {
  const db = new pg.Pool({ connectionString: environment.databaseUrl, max: 1 })
  db.on('error', () => {})
  const config = { databaseUrl: environment.databaseUrl, sessionSecret: SESSION_SECRET }
  const user = await createUser({ config })
  const pushToken = await prepare(environment, user)

  const load = createLoad(() => ({ url: environment.url(), headers: user.headers }), pushToken)
  const periods: Period[] = []
  const codes: (number | null)[] = []
  const faults = faultsOf(environment, db, (code) => codes.push(code))
  for (const { what, run } of [{ what: 'no fault', run: async () => {} }, ...faults]) {
    if (what !== 'no fault' && !what.includes(pattern)) continue
    const first = load.calls.length
    load.resume()
    await sleep(WARM_UP_MS)
    const from = performance.now()
    await run()
    const to = performance.now()
    await sleep(QUIET_MS)
    await load.pause()
    periods.push({ what, from, to, calls: load.calls.slice(first) })
  }
  await load.stop()

  const lost = [...lostPushes(environment, load), ...(await findLost(load, { db, devices: DEVICES + 1 }))]
  await db.end()
  return report(environment, { load, periods, codes, lost })
}

async function prepare(environment: ChaosEnvironment, user: TestUser): Promise<string> {
  const post = async (path: string, auth: Record<string, string>, body: unknown) => {
    const response = await fetch(`${environment.url()}${path}`, {
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

/** Returns the acknowledged pushes that no gateway accepted. */
function lostPushes(environment: ChaosEnvironment, load: Load): string[] {
  const arrived = new Set(
    environment.stack.fcm.requestLog.accepted.map(
      ({ payload }) => (payload as { data?: { key?: string } }).data?.key,
    ),
  )
  return load.pushes.filter(({ key }) => !arrived.has(key)).map(({ id }) => `push ${id}`)
}

function report(
  { isProxied }: ChaosEnvironment,
  { load, periods, codes, lost }: { load: Load; periods: Period[]; codes: (number | null)[]; lost: string[] },
): BenchReport {
  const seconds = (ms: number) => (ms / 1000).toFixed(1)
  const results = periods.map(({ what, from, to, calls }) => {
    const failed = calls.filter((call) => call.failed)
    const recoveryMs = Math.max(0, ...failed.map(({ at, ms }) => at + ms - to))
    const worst = calls.reduce((a, b) => (b.ms > a.ms ? b : a))
    return { what, lastsMs: to - from, calls, failed, worst, recoveryMs }
  })
  const ended = codes.filter((code) => code === 0).length
  const unexplained = results[0]!.failed
  return {
    rows: results.map(({ what, lastsMs, calls, failed, worst, recoveryMs }) => ({
      fault: what,
      'lasts s': seconds(lastsMs),
      calls: calls.length,
      failed: failed.length,
      'worst wait s': `${seconds(worst.ms)} (${worst.what})`,
      'last failure s after its end': seconds(recoveryMs),
    })),
    // Limits are those of timeouts, not of the machine.
    noise: null,
    notes: [
      `${isProxied ? 'Behind nginx.' : 'Without nginx, which is not installed: clients ask the replicas in turn, so each restart is seen.'} ${ended} of ${codes.length} restarted replicas ended with 0.`,
      `Acknowledged: ${load.files.length} files, ${load.pushes.length} pushes, ${load.broadcasts.length} broadcasts to ${DEVICES + 1} devices; lost: ${lost.length}.`,
      `Targets: nothing is lost, no call waits longer than ${MAX_WAIT_MS / 1000} s, and calls fail only during a fault and up to ${MAX_RECOVERY_MS / 1000} s after it.`,
      ...lost.slice(0, 10),
      ...unexplained.slice(0, 10).map(({ what, status }) => `failed without a fault: ${what} ${status}`),
    ],
    failed:
      lost.length > 0 ||
      unexplained.length > 0 ||
      ended < codes.length ||
      results.some(({ worst, recoveryMs }) => worst.ms > MAX_WAIT_MS || recoveryMs > MAX_RECOVERY_MS),
  }
}
