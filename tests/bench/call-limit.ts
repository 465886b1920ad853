import { hash } from 'node:crypto'
import { createCallLimit } from '../../src/server/api/access/call-limit.ts'
import { systemClock } from '../../src/server/kernel/clock.ts'
import { round } from './load.ts'
import { noiseOfRounds } from './noise.ts'
import type { BenchReport } from './report.ts'

const CALLS = 200_000
const ROUNDS = 6
/** Maximum share of the time that hashing a session token takes, which every call also does. */
const TARGET = 2
/** Session tokens have about 230 characters. */
const TOKEN = 'x'.repeat(230)

/** Measures what the limit of calls per minute costs each call: a counter in memory. */
export async function run(): Promise<BenchReport> {
  const countCall = createCallLimit({
    callsPerMinute: 1e9,
    clock: systemClock,
    counter: { increment: async () => ({ count: 0, secondsLeft: 60 }) },
    report: () => {},
  })
  const counts: number[] = []
  const hashes: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    counts.push(microsOf(() => countCall('user')))
    hashes.push(microsOf(() => hash('sha256', TOKEN, 'base64')))
  }
  const [count, token] = [Math.min(...counts), Math.min(...hashes)]
  const failed = count > TARGET * token
  return {
    rows: [
      { what: 'count a call', µs: round(count, 3), 'of a hash': round(count / token) },
      { what: 'hash a session token', µs: round(token, 3), 'of a hash': 1 },
    ],
    failed,
    noise: noiseOfRounds('count a call', 'time', counts, (times) => Math.min(...times)),
    notes: [
      `Best of ${ROUNDS} rounds of ${CALLS} calls in turn. Target: at most ${TARGET} times the hash of a session token: ${failed ? 'MISSED' : 'met'}.`,
    ],
  }
}

function microsOf(work: () => unknown): number {
  const startedAt = performance.now()
  for (let i = 0; i < CALLS; i++) work()
  return ((performance.now() - startedAt) * 1000) / CALLS
}
