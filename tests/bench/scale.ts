import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import type pg from 'pg'
import { type App, type Environment, startEnvironment } from './environment.ts'
import { best, type Call, type LoadOutput, load, round } from './load.ts'
import { freePort, hasNginx, startNginx } from './nginx.ts'
import { type Noise, noiseOf } from './noise.ts'
import type { BenchReport, Report } from './report.ts'
import { addDevices, createPushToken } from './seed.ts'
import { figuresOf } from './turns.ts'

const REPLICAS = [1, 2, 4]
const ROUNDS = 2
const GATEWAY_MS = 50
const CONNECTIONS = { presign: 32, send: 256 }

type Subject = keyof typeof CONNECTIONS
type Fleet = { replicas: number; url: string; pids: number[]; nginx: number[] }

/** Measures the total rate of 1, 2 and 4 replicas behind nginx, and which processes use how much CPU. */
export async function run([seconds = '3']: string[]): Promise<BenchReport> {
  if (!hasNginx()) throw new Error('nginx is not installed; Debian has it in the package nginx-light')
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({
    gatewayLatencyMs: GATEWAY_MS,
    env: { PUSH_SEND_RATE_PER_MINUTE: String(10 ** 6), TRUST_PROXY: '1' },
  })
  closing.defer(environment.close)
  const calls = await callsOf(environment)
  const apps = await Promise.all(Array.from({ length: Math.max(...REPLICAS) }, () => environment.app()))
  const fleets: Fleet[] = []
  for (const replicas of REPLICAS)
    fleets.push(await behindNginx(closing, environment.dir, apps.slice(0, replicas)))

  const rows: Report['rows'] = []
  const again: LoadOutput[] = []
  let noise: Noise | null = null
  for (const subject of ['presign', 'send'] as const) {
    const rounds = fleets.map((): Array<LoadOutput & { commits: number }> => [])
    for (let n = 0; n < ROUNDS; n++)
      for (const [i, fleet] of fleets.entries())
        rounds[i]!.push(await measure(environment.db, fleet, subject, calls[subject], Number(seconds)))
    if (subject === 'presign')
      for (let n = 0; n < ROUNDS; n++)
        again.push(await measure(environment.db, fleets[0]!, subject, calls[subject], Number(seconds)))
    const results = rounds.map(best)
    noise ??= noiseOf('presign, 1 replica', figuresOf(results[0]!), figuresOf(best(again)))
    rows.push(...fleets.map((fleet, i) => rowOf(subject, fleet, results[i]!, results[0]!)))
  }
  return {
    rows,
    noise,
    notes: [
      `${CONNECTIONS.presign} connections for upload.requestUploadUrl, ${CONNECTIONS.send} for POST /api/push/send to one user with 2 devices (gateways at ${GATEWAY_MS} ms); a user for each; best of ${ROUNDS} rounds of ${seconds} s in turn.`,
      `Processor time is in µs per call. All processes share ${cpus().length} processors. "Busy" is how many of them the listed processes use; the largest value is the bottleneck.`,
      'A replica can use one processor. If it uses less, the bottleneck is elsewhere.',
    ],
  }
}

async function callsOf(environment: Environment): Promise<Record<Subject, Call[]>> {
  const users = await Promise.all(Array.from({ length: 64 }, environment.user))
  await addDevices(
    environment.db,
    users.map(({ id }) => id),
  )
  const tokens = await Promise.all(users.map(({ id }) => createPushToken(environment.db, id)))
  const post = (path: string, headers: Record<string, string>, input: object): Call => ({
    method: 'POST',
    path,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  const photo = { filename: 'photo.png', mimeType: 'image/png', size: 1024 * 1024 }
  const message = { title: 'Hello', body: 'A pigeon has come' }
  return {
    presign: users.map(({ headers }) => post('/api/trpc/upload.requestUploadUrl', headers, photo)),
    send: tokens.map((token) => post('/api/push/send', { authorization: `Bearer ${token}` }, message)),
  }
}

async function behindNginx(closing: AsyncDisposableStack, dir: string, apps: App[]): Promise<Fleet> {
  const front = await freePort()
  const nginx = startNginx(
    dir,
    front,
    apps.map(({ url }) => Number(new URL(url).port)),
  )
  closing.defer(async () => {
    const gone = once(nginx, 'exit')
    nginx.kill('SIGTERM')
    await gone
  })
  const url = `http://127.0.0.1:${front}`
  for (;;) {
    const isUp = await fetch(`${url}/api/health/ready`).then(
      (response) => response.ok,
      () => false,
    )
    if (isUp) break
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return { replicas: apps.length, url, pids: apps.map(({ pid }) => pid), nginx: childrenOf(nginx.pid!) }
}

async function measure(db: pg.Pool, fleet: Fleet, subject: Subject, calls: Call[], seconds: number) {
  const input = {
    origin: fleet.url,
    calls,
    connections: CONNECTIONS[subject],
    serverPid: fleet.pids[0]!,
    seconds: 1,
    warmUpSeconds: 1,
  }
  // Open the connections to PostgreSQL, so that its processes are counted.
  await load(input)
  const { rows } = await db.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  const postgres = childrenOf(parentOf(rows[0]!.pid)!)
  const commitsBefore = await commits(db)
  const output = await load({
    ...input,
    seconds,
    warmUpSeconds: 0.5,
    others: { replicas: fleet.pids, PostgreSQL: postgres, nginx: fleet.nginx },
  })
  return { ...output, commits: ((await commits(db)) - commitsBefore) / output.answers }
}

function rowOf(
  subject: Subject,
  { replicas }: Fleet,
  result: LoadOutput & { commits: number },
  base: LoadOutput,
): Report['rows'][number] {
  const { perSecond, p50Ms, p99Ms, cpuMicrosOf } = result
  const total = Object.values(cpuMicrosOf).reduce((sum, micros) => sum + micros, 0)
  const [limit] = Object.entries(cpuMicrosOf).reduce((a, b) => (b[1] > a[1] ? b : a))
  return {
    call: subject,
    replicas,
    'per second': Math.round(perSecond),
    'of one': round(perSecond / base.perSecond),
    'p50 ms': round(p50Ms, 1),
    'p99 ms': round(p99Ms, 1),
    ...Object.fromEntries(
      Object.entries(cpuMicrosOf).map(([name, micros]) => [`${name} µs`, Math.round(micros)]),
    ),
    'transactions a call': round(result.commits),
    busy: round((total * perSecond) / 1e6),
    largest: limit,
  }
}

async function commits(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ n: string }>(
    'SELECT xact_commit AS n FROM pg_stat_database WHERE datname = current_database()',
  )
  return Number(rows[0]!.n)
}

/** Returns the fields of proc(5) from the third on. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return undefined
  }
}

function parentOf(pid: number): number | undefined {
  const stat = statOf(pid)
  return stat && Number(stat[1])
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === parent)
}
