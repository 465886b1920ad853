import {
  type Emulator,
  type Environment,
  growTo,
  LATENCY_MS,
  startEnvironment,
} from './broadcast.environment.ts'
import { createToken } from './broadcast.ts'
import { type Noise, noiseOfRounds } from './noise.ts'
import type { BenchReport, Report } from './report.ts'

const DEVICES = 20_000
const ROUNDS = 3
const TARGET = 0.8

/** Measures how fast a gateway gets its half of a broadcast while the other one accepts requests but never responds. */
export async function run(): Promise<BenchReport> {
  // Benchmark mode has no faults.
  const environment = await startEnvironment({ benchmark: false })
  try {
    const token = await createToken(environment)
    await growTo(environment.db, DEVICES)
    const { apns, fcm } = environment
    const rows: Report['rows'] = []
    let noise: Noise | null = null
    for (const [name, healthy, hanging] of [
      ['FCM', fcm, apns],
      ['APNs', apns, fcm],
    ] as const) {
      // Take turns, and use the best of each, because other work on the machine only slows them down.
      const alone: number[] = []
      const whileHeld: number[] = []
      for (let n = 0; n < ROUNDS; n++) {
        alone.push(await rateOf(environment, token, healthy))
        await set(hanging, { hold: true })
        whileHeld.push(await rateOf(environment, token, healthy))
        await set(hanging, { hold: false })
      }
      noise ??= noiseOfRounds(`${name} alone`, 'rate', alone)
      const [usual, now] = [Math.max(...alone), Math.max(...whileHeld)]
      rows.push({
        gateway: name,
        'per second': Math.round(usual),
        'while the other hangs': Math.round(now),
        ratio: Math.round((now / usual) * 100) / 100,
      })
    }
    const failed = rows.some(({ ratio }) => Number(ratio) < TARGET)
    return {
      rows,
      failed,
      noise,
      notes: [
        `A broadcast to ${DEVICES} devices, half iOS, half Android; gateways at ${LATENCY_MS} ms; the best of ${ROUNDS} rounds, each in a separate process.`,
        `Target: ${TARGET} of the usual rate: ${failed ? 'MISSED' : 'met'}.`,
      ],
    }
  } finally {
    await environment.close()
  }
}

/** Returns the pushes per second that this gateway accepts of its half of a broadcast. */
async function rateOf(environment: Environment, token: string, gateway: Emulator): Promise<number> {
  const replica = await environment.replica(token)
  await environment.takeHistogram()
  const startedAt = performance.now()
  // If a gateway hangs, it ends with the process.
  replica.broadcast().catch(() => {})
  while ((await acceptedBy(gateway)) < DEVICES / 2) await new Promise((resolve) => setTimeout(resolve, 5))
  const seconds = (performance.now() - startedAt) / 1000
  const exited = new Promise((resolve) => replica.child.once('exit', resolve))
  if (replica.child.exitCode === null && replica.child.kill('SIGKILL')) await exited
  // Remove what it did not send.
  await environment.db.query('DELETE FROM push_messages')
  return DEVICES / 2 / seconds
}

async function acceptedBy({ controlUrl }: Emulator): Promise<number> {
  const { counts } = (await (await fetch(`${controlUrl}/`)).json()) as { counts: { accepted: number } }
  return counts.accepted
}

async function set({ controlUrl }: Emulator, settings: object): Promise<void> {
  const response = await fetch(`${controlUrl}/settings`, { method: 'POST', body: JSON.stringify(settings) })
  if (!response.ok) throw new Error(`settings: ${response.status} ${await response.text()}`)
}
