import { startEnvironment } from './environment.ts'
import { type Call, round } from './load.ts'
import type { BenchReport } from './report.ts'
import { addDevices, createPushToken } from './seed.ts'
import { takeTurns } from './turns.ts'

const GATEWAY_MS = 50
const ROUNDS = 3

/** Measures POST /api/push/send to one user with an iOS and an Android device, with both gateways at 50 ms. */
export async function run([seconds = '2']: string[]): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({
    gatewayLatencyMs: GATEWAY_MS,
    env: { PUSH_SEND_RATE_PER_MINUTE: String(10 ** 9) },
  })
  closing.defer(environment.close)
  const app = await environment.app()
  const users = await Promise.all(Array.from({ length: 64 }, environment.user))
  await addDevices(
    environment.db,
    users.map(({ id }) => id),
  )
  const one = users[0]!
  const token = await createPushToken(environment.db, one.id)
  // A token counts its sends in one row: many tokens show what that costs.
  const tokens = await Promise.all(users.map(({ id }) => createPushToken(environment.db, id)))
  const call = (bearer: string, userId: string): Call => ({
    method: 'POST',
    path: '/api/push/send',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Hello', body: 'A pigeon has come', userId }),
  })
  const live: Call[] = [{ method: 'GET', path: '/api/health/live' }]

  const of = (connections: number, calls: Call[]) => ({ of: app, calls, connections })
  const sends = [call(token, one.id)]
  const { results, noise } = await takeTurns(
    {
      'an empty route': of(16, live),
      'one token, one user, 1 connection': of(1, sends),
      'one token, one user, 16 connections': of(16, sends),
      'one token, one user, 128 connections': of(128, sends),
      'a token and a user each, 128 connections': of(
        128,
        users.map((user, i) => call(tokens[i]!, user.id)),
      ),
    },
    { rounds: ROUNDS, secondsPerRound: Number(seconds) },
  )
  const base = results['an empty route']
  return {
    rows: Object.entries(results).map(([what, { perSecond, p50Ms, p99Ms, cpuMicrosPerCall }]) => ({
      what,
      'per second': Math.round(perSecond),
      'of an empty route': round(perSecond / base.perSecond),
      'p50 ms': round(p50Ms, 1),
      'p99 ms': round(p99Ms, 1),
      'server CPU µs': Math.round(cpuMicrosPerCall),
    })),
    noise,
    notes: [
      `A user has 2 devices, one per platform. Each gateway is a separate process and responds after ${GATEWAY_MS} ms. Best of ${ROUNDS} rounds of ${seconds} s in turn; fsync on.`,
      'The baseline is an empty route of the same server. Client, server, gateways and PostgreSQL share the processors.',
    ],
  }
}
