import { startEnvironment } from './environment.ts'
import { best, type LoadOutput, load, round } from './load.ts'
import type { Report } from './report.ts'
import { addDevices, createPushToken } from './seed.ts'

const GATEWAY_MS = 50
const ROUNDS = 3
/** One sender, a few, and enough to keep the server busy during the gateways' 50 ms. */
const SENDERS = [1, 16, 128]

/** Measures POST /api/push/send to one user with an iOS and an Android device, with both gateways at 50 ms. */
export async function run([seconds = '2']: string[]): Promise<Report> {
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
  const call = (bearer: string, userId: string) => ({
    method: 'POST' as const,
    path: '/api/push/send',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Hello', body: 'A pigeon has come', userId }),
  })
  const live = [{ method: 'GET' as const, path: '/api/health/live' }]

  const subjects = [
    { name: 'GET /api/health/live', senders: 16, calls: live },
    ...SENDERS.map((senders) => ({
      name: 'one token, one user',
      senders,
      calls: [call(token, one.id)],
    })),
    {
      name: 'a token and a user each',
      senders: 128,
      calls: users.map((user, i) => call(tokens[i]!, user.id)),
    },
  ]
  const rounds = subjects.map((): LoadOutput[] => [])
  for (let n = 0; n < ROUNDS; n++)
    for (const [i, { calls, senders }] of subjects.entries())
      rounds[i]!.push(
        await load({
          origin: app.url,
          serverPid: app.pid,
          calls,
          connections: senders,
          seconds: Number(seconds),
          warmUpSeconds: n === 0 ? 2 : 1,
        }),
      )
  const results = rounds.map(best)
  const base = results[0]!
  return {
    rows: subjects.map(({ name, senders }, i) => ({
      call: name,
      connections: senders,
      'per second': Math.round(results[i]!.perSecond),
      'of live': round(results[i]!.perSecond / base.perSecond),
      'p50 ms': round(results[i]!.p50Ms, 1),
      'p99 ms': round(results[i]!.p99Ms, 1),
      'server CPU µs': Math.round(results[i]!.cpuMicrosPerCall),
    })),
    notes: [
      `A user has 2 devices, one per platform. Each gateway is a separate process and responds after ${GATEWAY_MS} ms. Best of ${ROUNDS} rounds of ${seconds} s in turn; fsync on.`,
      'The baseline is an empty route of the same server. Client, server, gateways and PostgreSQL share the processors.',
    ],
  }
}
