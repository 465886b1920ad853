import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { spawnEmulator } from '@pigeonhole/emulators'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import type { SenderInput, SenderOutput } from './dispatch.sender.ts'
import type { Report } from './report.ts'
import { noiseOf } from './turns.ts'

const LATENCY_MS = 50
const COUNT = 20_000
const LARGE = 100_000
const ROUNDS = 5
const WARM_UP = 2000
const TOPIC = 'com.example.app'
/** Number of pushes for apns2 and node-apn, which are slow or lose pushes above a few thousand. */
const SMALL = 5_000
const TARGET_OF_PLAIN = 0.75
const TARGET_OF_APNS2 = 10

/** Compares the rate of the gateway clients alone, from prepared notification to outcome, with other libraries. */
export async function run(): Promise<Report> {
  await using closing = new AsyncDisposableStack()
  const gateways = await startGateways(closing)
  const sendAll = (client: string, count: number) => send(client, count, gateways)

  // Take turns, and use the best of each, because other work on the machine only slows them down.
  const plains: Run[] = []
  const again: Run[] = []
  const runs: Run[] = []
  for (let n = 0; n < ROUNDS; n++) {
    plains.push(await sendAll('node:http2', COUNT))
    runs.push(await sendAll('pigeonhole', COUNT))
    again.push(await sendAll('node:http2', COUNT))
  }
  const plain = best(plains)
  const ours = best(runs)
  const large = await sendAll('pigeonhole', LARGE)
  const apns2 = await sendAll('apns2', SMALL)
  const nodeApn = [await sendAll('node-apn', SMALL), await sendAll('node-apn', COUNT)]

  const row = (client: string, count: number, result: Run) => ({
    client,
    sends: count,
    'per second': Math.round(result.accepted / result.seconds),
    lost: count - result.accepted,
    'taken by gateways': result.taken,
    'of node:http2': round(rate(result) / rate(plain)),
    'times apns2': round(rate(result) / rate(apns2)),
    'CPU µs per send': Math.round((result.cpuSeconds * 1e6) / count),
    'RSS MB': Math.round(result.rssMb),
  })
  const rows = [
    row('node:http2', COUNT, plain),
    row('pigeonhole', COUNT, ours),
    row('pigeonhole', LARGE, large),
    row('apns2 as shipped (APNs only)', SMALL, apns2),
    row('@parse/node-apn (APNs only)', SMALL, nodeApn[0]!),
    row('@parse/node-apn (APNs only)', COUNT, nodeApn[1]!),
  ]
  const lost = COUNT - Math.min(ours.accepted, ours.taken) + (LARGE - Math.min(large.accepted, large.taken))
  const failed =
    rate(ours) < TARGET_OF_PLAIN * rate(plain) || rate(ours) < TARGET_OF_APNS2 * rate(apns2) || lost > 0
  return {
    rows,
    failed,
    notes: [
      `Half to APNs, half to FCM, each in a separate process that responds ${LATENCY_MS} ms after a request is complete.`,
      `node:http2 and pigeonhole: the best of ${ROUNDS} runs, taken in turn. Every client first sends ${WARM_UP} to warm up.`,
      noiseOf('node:http2', asLoad(plain), asLoad(best(again))),
      `Targets: ${TARGET_OF_PLAIN} of node:http2, ${TARGET_OF_APNS2} times apns2, none lost: ${failed ? 'MISSED' : 'met'}.`,
    ],
  }
}

/** `taken`: number of pushes in the gateways' request logs, regardless of what the sender reports. */
type Run = SenderOutput & { taken: number }

async function acceptedBy(gateway: { controlUrl: string }): Promise<number> {
  const response = await fetch(`${gateway.controlUrl}/`)
  const { counts } = (await response.json()) as { counts: { accepted: number } }
  return counts.accepted
}

function rate({ accepted, seconds }: SenderOutput): number {
  return accepted / seconds
}

function best(results: Run[]): Run {
  return results.reduce((a, b) => (rate(b) > rate(a) ? b : a))
}

/** Returns the rate, and the CPU per push. */
function asLoad(run: Run) {
  return { perSecond: rate(run), cpuMicrosPerCall: (run.cpuSeconds * 1e6) / COUNT }
}

function round(value: number): number {
  return Math.round(value * 100) / 100
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
export async function send(client: string, count: number, gateways: Gateways, root = ROOT): Promise<Run> {
  const { apns, fcm } = gateways as unknown as Record<'apns' | 'fcm', { controlUrl: string }>
  for (const { controlUrl } of [apns, fcm]) await fetch(`${controlUrl}/request-log`, { method: 'DELETE' })
  const input: SenderInput = { client, count, warmUp: WARM_UP, ...gateways }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'tests/bench/dispatch.sender.ts'), JSON.stringify(input)],
    {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: gateways.apns.caFile },
      maxBuffer: 2 ** 24,
      timeout: 300_000,
    },
  )
  const result = JSON.parse(stdout.trim().split('\n').at(-1)!) as SenderOutput
  const taken = await Promise.all([apns, fcm].map(acceptedBy))
  return { ...result, taken: taken[0]! + taken[1]! - WARM_UP }
}
