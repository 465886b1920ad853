import { type ChildProcess, execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { spawnEmulator } from '@pigeonhole/emulators'
import type { SenderInput, SenderOutput } from './dispatch.sender.ts'
import type { Report } from './report.ts'

const LATENCY_MS = 50
const COUNT = 20_000
const LARGE = 100_000
const ROUNDS = 5
const WARM_UP = 2000
/** For apns2 and node-apn, which are slow or lose pushes above a few thousand. */
const SMALL = 5_000
const AIM_OF_PLAIN = 0.75
const AIM_OF_APNS2 = 10

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const children: ChildProcess[] = []

/** Compares the rate of the gateway clients alone, from prepared notification to outcome, with other libraries. */
export async function run(): Promise<Report> {
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-dispatch-'))
  try {
    const apns = await emulator('apns', { dir, topics: ['com.example.app'] })
    const fcm = await emulator('fcm', { dir })
    const send = async (client: string, count: number): Promise<Run> => {
      for (const gateway of [apns, fcm])
        await fetch(`${gateway.controlUrl}/request-log`, { method: 'DELETE' })
      const input = { client, count, warmUp: WARM_UP, apns: { ...apns, topic: 'com.example.app' }, fcm }
      const result = await sender(input as unknown as SenderInput)
      const taken = await Promise.all([apns, fcm].map(acceptedBy))
      return { ...result, taken: taken[0]! + taken[1]! - WARM_UP }
    }

    // Take turns, and use the best of each, because other work on the machine only slows them down.
    const rounds: Array<[Run, Run]> = []
    for (let n = 0; n < ROUNDS; n++)
      rounds.push([await send('node:http2', COUNT), await send('pigeonhole', COUNT)])
    const plain = best(rounds.map(([run]) => run))
    const ours = best(rounds.map(([, run]) => run))
    const large = await send('pigeonhole', LARGE)
    const apns2 = await send('apns2', SMALL)
    const nodeApn = [await send('node-apn', SMALL), await send('node-apn', COUNT)]

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
      rate(ours) < AIM_OF_PLAIN * rate(plain) || rate(ours) < AIM_OF_APNS2 * rate(apns2) || lost > 0
    return {
      rows,
      failed,
      notes: [
        `Half to APNs, half to FCM, each in a separate process that responds ${LATENCY_MS} ms after a request is complete.`,
        `node:http2 and pigeonhole: the best of ${ROUNDS} runs, taken in turn. Every client first sends ${WARM_UP} to warm up.`,
        `Aims: ${AIM_OF_PLAIN} of node:http2, ${AIM_OF_APNS2} times apns2, none lost: ${failed ? 'MISSED' : 'met'}.`,
      ],
    }
  } finally {
    for (const child of children) child.kill()
    await rm(dir, { recursive: true, force: true })
  }
}

/** `taken`: number of pushes in the gateways' request logs, regardless of what the sender reports. */
type Run = SenderOutput & { taken: number }

async function acceptedBy(gateway: Record<string, unknown>): Promise<number> {
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

function round(value: number): number {
  return Math.round(value * 100) / 100
}

/** Starts a gateway emulator in benchmark mode, which leaves the processor to the sender. */
async function emulator(name: 'apns' | 'fcm', options: object): Promise<Record<string, unknown>> {
  const settings = { latencyMs: LATENCY_MS }
  const spawned = await spawnEmulator(name, { ...options, settings, benchmark: true, keepPayloads: false })
  children.push(spawned.child)
  return spawned.addresses
}

async function sender(input: SenderInput): Promise<SenderOutput> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [file('dispatch.sender.ts'), JSON.stringify(input)],
    { env: { ...process.env, NODE_EXTRA_CA_CERTS: input.apns.caFile }, maxBuffer: 2 ** 24, timeout: 300_000 },
  )
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as SenderOutput
}
