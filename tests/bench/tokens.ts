import { createAdminClient } from '@pigeonhole/client/admin'
import { SECRET, startEnvironment } from './environment.ts'
import { type Call, round } from './load.ts'
import type { BenchReport } from './report.ts'
import { type Subject, takeTurns } from './turns.ts'

const CONNECTIONS = 16
const ROUNDS = 3
/** Multiple of the CPU of a call with a session. */
const MAX_MINT = 2.5

/** Measures the CPU of creating user tokens, and of the same call with a user token and with a session. */
export async function run([seconds = '2']: string[]): Promise<BenchReport> {
  await using environment = await startTokens()
  const { app, users, admin } = environment
  const { key } = await admin.serverKeys.create({ name: 'bench', scopes: ['user-tokens:create'] })
  const tokens = await Promise.all(users.map(({ id }) => admin.userTokens.create({ userId: id })))
  const of = (calls: Call[]): Subject => ({ of: app, calls, connections: CONNECTIONS })
  const get = (headers: Record<string, string>): Call => ({
    method: 'GET',
    path: '/api/trpc/preferences.get',
    headers,
  })
  const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
  const creations = users.map(
    (_, i): Call => ({
      method: 'POST',
      path: '/api/admin/user-tokens',
      headers: { ...bearer(key), 'content-type': 'application/json' },
      body: JSON.stringify({ externalId: `customer-${i}`, upload: { maxFiles: 5 } }),
    }),
  )
  const turns = { rounds: ROUNDS, secondsPerRound: Number(seconds) }
  const { results, noise } = await takeTurns(
    {
      'preferences.get with a session': of(users.map(({ headers }) => get(headers))),
      'preferences.get with a user token': of(tokens.map(({ token }) => get(bearer(token)))),
      'POST /api/admin/user-tokens': of(creations),
    },
    turns,
  )
  const mint =
    results['POST /api/admin/user-tokens'].cpuMicrosPerCall /
    results['preferences.get with a session'].cpuMicrosPerCall
  return {
    rows: Object.entries(results).map(([call, { perSecond, p50Ms, p99Ms, cpuMicrosPerCall }]) => ({
      call,
      'per second': Math.round(perSecond),
      'p50 ms': round(p50Ms),
      'p99 ms': round(p99Ms),
      'server CPU µs': Math.round(cpuMicrosPerCall),
    })),
    noise,
    notes: [
      `${CONNECTIONS} connections, each with its own user; best of ${ROUNDS} rounds of ${seconds} s in turn.`,
      `target: creating a token takes at most ${MAX_MINT} times the CPU of a call with a session: ${mint.toFixed(2)}`,
    ],
    failed: mint > MAX_MINT,
  }
}

async function startTokens() {
  const environment = await startEnvironment()
  try {
    const app = await environment.app()
    const users = await Promise.all(Array.from({ length: CONNECTIONS }, environment.user))
    const admin = createAdminClient({ baseUrl: app.url, token: SECRET })
    return { app, users, admin, [Symbol.asyncDispose]: environment.close }
  } catch (error) {
    await environment.close()
    throw error
  }
}
