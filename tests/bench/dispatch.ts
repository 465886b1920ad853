import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { spawnEmulator } from '@pigeonhole/emulators'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { NODE_FLAGS } from '../../src/cli/node-flags.ts'
import type { Comparison } from './compare.verdict.ts'
import type { SenderInput, SenderOutput } from './dispatch.sender.ts'
import { round } from './load.ts'
import type { BenchReport } from './report.ts'
import { comparePairs, type Figures } from './turns.ts'

const LATENCY_MS = 50
const COUNT = 20_000
const LARGE = 100_000
const PAIRS = 7
const WARM_UP = 2000
const TOPIC = 'com.example.app'
/** Number of pushes for apns2 and node-apn, which are slow or lose pushes above a few thousand. */
const SMALL = 5_000
const MIN_RATE = 0.9
const MAX_CPU = 1.15
const MIN_TIMES_APNS2 = 10

/** Compares the gateway clients alone, from prepared notification to outcome, with other libraries. */
export async function run(): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const gateways = await startGateways(closing)
  const measure = (client: string, count: number, inProgress?: number) =>
    send(client, { count, inProgress }, gateways)

  const pairs = await comparePairs(
    {
      name: 'node:http2',
      base: () => measure('node:http2', COUNT),
      other: () => measure('pigeonhole', COUNT),
    },
    PAIRS,
  )
  const plain = medianOf(pairs.base)
  const large = await measure('pigeonhole', LARGE, LARGE)
  const apns2 = await measure('apns2', SMALL)
  const nodeApn = [await measure('node-apn', SMALL), await measure('node-apn', COUNT)]

  const row = (client: string, sends: number, result: Run) => ({
    client,
    sends,
    'per second': Math.round(result.perSecond),
    lost: sends - result.accepted,
    'taken by gateways': result.taken,
    'of node:http2': round(result.perSecond / plain.perSecond),
    'times apns2': round(result.perSecond / apns2.perSecond),
    'CPU µs per send': round(result.cpuMicrosPerCall, 1),
    'CPU of node:http2': round(result.cpuMicrosPerCall / plain.cpuMicrosPerCall),
    'RSS MB': Math.round(result.rssMb),
  })
  const ours = medianOf(pairs.other)
  const lost = [...pairs.other, large].some(
    ({ count, accepted, taken }) => accepted !== count || taken !== count,
  )
  const timesApns2 = ours.perSecond / apns2.perSecond
  const { rate, cpu, noise } = pairs
  const spread = ({ median, least, most }: Comparison) =>
    `${median.toFixed(2)} (${least.toFixed(2)} to ${most.toFixed(2)})`
  return {
    rows: [
      row('node:http2', COUNT, plain),
      row('pigeonhole', COUNT, ours),
      row(`pigeonhole, all at once`, LARGE, large),
      row('apns2 as shipped (APNs only)', SMALL, apns2),
      row('@parse/node-apn (APNs only)', SMALL, nodeApn[0]!),
      row('@parse/node-apn (APNs only)', COUNT, nodeApn[1]!),
    ],
    notes: [
      `Half to APNs, half to FCM, each in a separate process that responds ${LATENCY_MS} ms after a request is complete. Every client first sends ${WARM_UP} to warm up.`,
      `node:http2 and pigeonhole: medians of ${PAIRS} pairs of runs in turn, with 2,000 pushes per gateway in progress, as of a broadcast.`,
      `Rate of node:http2, median and range of the pairs, target at least ${MIN_RATE}: ${spread(rate)}.`,
      `CPU of node:http2, target at most ${MAX_CPU}: ${spread(cpu)}.`,
      `Rate of apns2, target at least ${MIN_TIMES_APNS2}: ${timesApns2.toFixed(1)}. Target: none lost: ${lost ? 'MISSED' : 'met'}.`,
    ],
    noise,
    failed: lost || rate.median < MIN_RATE || cpu.median > MAX_CPU || timesApns2 < MIN_TIMES_APNS2,
  }
}

/** `taken`: number of pushes in the gateways' request logs, regardless of what the sender reports. */
type Run = SenderOutput & Figures & { count: number; taken: number }

async function acceptedBy(gateway: { controlUrl: string }): Promise<number> {
  const response = await fetch(`${gateway.controlUrl}/`)
  const { counts } = (await response.json()) as { counts: { accepted: number } }
  return counts.accepted
}

/** Returns the run whose rate is the median. */
function medianOf(runs: Run[]): Run {
  return runs.toSorted((a, b) => a.perSecond - b.perSecond)[runs.length >> 1]!
}

type Gateways = Pick<SenderInput, 'apns' | 'fcm'>

/** Starts the gateway emulators in benchmark mode, which leaves the processor to the sender. */
export async function startGateways(closing: AsyncDisposableStack): Promise<Gateways> {
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-dispatch-'))
  closing.defer(() => rm(dir, { recursive: true, force: true }))
  const start = async (name: 'apns' | 'fcm', options: object) => {
    const settings = { latencyMs: LATENCY_MS }
    const spawned = await spawnEmulator(name, {
      dir,
      ...options,
      settings,
      benchmark: true,
      keepPayloads: false,
    })
    closing.defer(() => void spawned.child.kill())
    return spawned.addresses as object
  }
  const apns = { ...(await start('apns', { topics: [TOPIC] })), topic: TOPIC }
  return { apns, fcm: await start('fcm', {}) } as Gateways
}

/** Sends `count` pushes in a separate process, with the client of the version in `root`. */
export async function send(
  client: string,
  { count, inProgress }: { count: number; inProgress?: number },
  gateways: Gateways,
  root = ROOT,
): Promise<Run> {
  const { apns, fcm } = gateways as unknown as Record<'apns' | 'fcm', { controlUrl: string }>
  for (const { controlUrl } of [apns, fcm]) await fetch(`${controlUrl}/request-log`, { method: 'DELETE' })
  const input: SenderInput = { client, count, inProgress, warmUp: WARM_UP, ...gateways }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...NODE_FLAGS, join(root, 'tests/bench/dispatch.sender.ts'), JSON.stringify(input)],
    {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: gateways.apns.caFile },
      maxBuffer: 2 ** 24,
      timeout: 300_000,
    },
  )
  const result = JSON.parse(stdout.trim().split('\n').at(-1)!) as SenderOutput
  const taken = await Promise.all([apns, fcm].map(acceptedBy))
  return {
    ...result,
    count,
    perSecond: result.accepted / result.seconds,
    cpuMicrosPerCall: (result.cpuSeconds * 1e6) / count,
    taken: taken[0]! + taken[1]! - WARM_UP,
  }
}
