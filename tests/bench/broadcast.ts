import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { v7 } from 'uuid'
import { NODE_FLAGS } from '../../src/cli/node-flags.ts'
import { type Environment, growTo, LATENCY_MS, startEnvironment } from './broadcast.environment.ts'
import type { SenderOutput } from './dispatch.sender.ts'
import { noiseOf } from './noise.ts'
import type { BenchReport, Report } from './report.ts'

const SIZES = [10_000, 100_000, 1_000_000]
const CRASH_SIZE = 50_000
/** Longer than the lease of a chunk (src/server/domain/push/broadcasts/broadcast-worker.ts). */
const OUTAGE_MS = 12_000
const TARGET_OF_DISPATCH = 0.9
const TARGET_RSS_MB = 120
/**
 * Devices of chunks in progress in one process, for two gateways
 * (src/server/domain/push/broadcasts/broadcast-worker.ts, src/server/domain/push/messages/send.ts).
 */
const IN_PROGRESS = 2 * 4 * 500

/** Measures the time from the request to the last push in the gateways' request logs. Arguments: other sizes. */
export async function run(args: string[]): Promise<BenchReport> {
  const sizes = args.length > 0 ? args.map(Number) : SIZES
  const environment = await startEnvironment()
  try {
    const rates: number[] = []
    const token = await createToken(environment)
    const rows: Report['rows'] = []
    const crashes: Awaited<ReturnType<typeof crash>>[] = []
    const memory: number[] = []
    let failed = false
    for (const size of sizes) {
      if (args.length === 0 && size > CRASH_SIZE && crashes.length === 0)
        crashes.push(await killReplica(environment, token), await killPostgres(environment, token))
      await growTo(environment.db, size)
      await giveOwner(environment)
      const before = await dispatchRate(environment)
      const { rate, rssMb, ok, row } = await broadcast(environment, token, size)
      const after = await dispatchRate(environment)
      rates.push(before, after)
      const ofDispatch = (2 * rate) / (before + after)
      // The smallest broadcast ends before its rate is meaningful.
      if (!ok || (size >= 100_000 && ofDispatch < TARGET_OF_DISPATCH)) failed = true
      memory.push(rssMb)
      rows.push({ ...row, 'of dispatch': round(ofDispatch) })
    }
    if (crashes.some((c) => c.failed)) failed = true
    const growth = Math.max(...memory) - Math.min(...memory)
    if (growth > TARGET_RSS_MB) failed = true
    return {
      rows: [...rows, ...crashes.map((c) => c.row)],
      failed,
      noise: noiseOf('dispatch alone', { rate: rates.at(-2)! }, { rate: rates.at(-1)! }),
      notes: [
        `Half iOS, half Android; each gateway in a separate process that responds after ${LATENCY_MS} ms; PostgreSQL with fsync on the same machine.`,
        `Dispatch alone (prepared, no database), directly before and after each broadcast: ${rates.map(Math.round).join(', ')}/s. Memory between smallest and largest: ${Math.round(growth)} MB.`,
        `Targets: ${TARGET_OF_DISPATCH} of dispatch from 100,000 on, memory within ${TARGET_RSS_MB} MB, no device skipped, only pushes in flight repeated: ${failed ? 'MISSED' : 'met'}.`,
      ],
    }
  } finally {
    await environment.close()
  }
}

async function broadcast(environment: Environment, token: string, size: number) {
  const replica = await environment.replica(token)
  await environment.takeHistogram()
  const report = await replica.broadcast()
  const histogram = await environment.takeHistogram()
  const rate = size / report.seconds
  const ok = histogram[1] === size && report.sent === size && report.audience === size
  return {
    rate,
    ok,
    rssMb: report.maxRssMb,
    row: {
      what: 'broadcast',
      devices: size,
      'planned and accepted ms': Math.round(report.acceptMs),
      seconds: round(report.seconds),
      'per second': Math.round(rate),
      'CPU µs per device': Math.round((report.cpuSeconds * 1e6) / size),
      'max RSS MB': Math.round(report.maxRssMb),
      skipped: size - reached(histogram),
      repeated: reached(histogram) - (histogram[1] ?? 0),
    },
  }
}

/** Kills one of two replicas midway with SIGKILL. */
async function killReplica(environment: Environment, token: string) {
  return crash(environment, token, 'kill -9 of 1 of 2 replicas', IN_PROGRESS, async () => {
    const victim = await environment.replica()
    return () => void victim.child.kill('SIGKILL')
  })
}

/** Kills PostgreSQL midway with SIGKILL, and starts it again when all leases have expired. */
async function killPostgres(environment: Environment, token: string) {
  return crash(environment, token, 'kill -9 of PostgreSQL', 0, async () => async () => {
    await environment.postgres.kill()
    await new Promise((resolve) => setTimeout(resolve, OUTAGE_MS))
    await environment.postgres.restart()
  })
}

async function crash(
  environment: Environment,
  token: string,
  what: string,
  allowed: number,
  prepare: () => Promise<() => unknown>,
) {
  await growTo(environment.db, CRASH_SIZE)
  const strike = await prepare()
  const survivor = await environment.replica(token)
  await environment.takeHistogram()
  const answer = survivor.broadcast()
  while ((await environment.accepted()) < CRASH_SIZE / 3)
    await new Promise((resolve) => setTimeout(resolve, 5))
  await strike()
  const report = await answer
  const histogram = await environment.takeHistogram()
  const skipped = CRASH_SIZE - reached(histogram)
  const repeated = reached(histogram) - (histogram[1] ?? 0)
  return {
    failed:
      skipped > 0 || repeated > allowed || report.sent !== CRASH_SIZE || report.counted !== report.audience,
    row: { what, devices: CRASH_SIZE, seconds: round(report.seconds), skipped, repeated },
  }
}

/** Returns the rate of the same gateways and connections, from prepared notification to outcome. */
async function dispatchRate({ apns, fcm }: Environment): Promise<number> {
  const input = {
    client: 'pigeonhole',
    count: 100_000,
    warmUp: 2_000,
    apns: { ...apns, topic: 'com.example.app' },
    fcm,
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...NODE_FLAGS, fileURLToPath(new URL('dispatch.sender.ts', import.meta.url)), JSON.stringify(input)],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: apns.caFile }, timeout: 300_000 },
  )
  const { accepted, seconds } = JSON.parse(stdout.trim().split('\n').at(-1)!) as SenderOutput
  return accepted / seconds
}

export async function createToken({ db }: Environment): Promise<string> {
  const userId = v7()
  const raw = `ph_${randomBytes(32).toString('base64url')}`
  await db.query(`INSERT INTO users (id, email) VALUES ($1, 'bench@example.com')`, [userId])
  await db.query(
    `INSERT INTO push_tokens (id, hash, name, user_id, expires_at) VALUES ($1, $2, 'bench', $3, now() + interval '1 day')`,
    [v7(), createHash('sha256').update(raw).digest('hex'), userId],
  )
  return raw
}

/** Gives the first hundred devices to the token's owner, for the warm-up. */
async function giveOwner({ db }: Environment): Promise<void> {
  await db.query(
    `UPDATE devices SET user_id = (SELECT user_id FROM push_tokens)
     WHERE id IN (SELECT id FROM devices ORDER BY id LIMIT 100)`,
  )
}

const reached = (histogram: Record<number, number>) =>
  Object.values(histogram).reduce((sum, devices) => sum + devices, 0)

function round(value: number): number {
  return Math.round(value * 100) / 100
}
