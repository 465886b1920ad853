import { createCallLimit } from '../../src/server/api/access/call-limit.ts'
import { systemClock } from '../../src/server/kernel/clock.ts'
import type { Report } from './report.ts'

const CALLS = 200_000
const ROUNDS = 5
const TARGET_US = 5

/** Measures what the limit of calls per minute costs each call: a counter in memory. */
export async function run(): Promise<Report> {
  const countCall = createCallLimit({
    callsPerMinute: 1e9,
    clock: systemClock,
    counter: { increment: async () => ({ count: 0, secondsLeft: 60 }) },
    report: () => {},
  })
  let best = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now()
    for (let i = 0; i < CALLS; i++) countCall('user')
    best = Math.min(best, ((performance.now() - startedAt) * 1000) / CALLS)
  }
  const failed = best > TARGET_US
  return {
    rows: [{ what: 'count a call', µs: Math.round(best * 1000) / 1000 }],
    failed,
    notes: [
      `Best of ${ROUNDS} rounds of ${CALLS} calls. Target: ${TARGET_US} µs: ${failed ? 'MISSED' : 'met'}.`,
    ],
  }
}
