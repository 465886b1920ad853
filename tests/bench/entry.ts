import { fileURLToPath } from 'node:url'
import { NODE_FLAGS } from '../../src/cli/node-flags.ts'
import { spawnService, startEnvironment } from './environment.ts'
import { type Call, round } from './load.ts'
import type { BenchReport } from './report.ts'
import { type Subject, takeTurns } from './turns.ts'

const CONNECTIONS = 16
const ROUNDS = 3
/** Share of the rate of plain node:http with the same headers and metrics. */
const TARGET = 0.8

/** Compares the same handlers behind Next and behind `npm start`, and an empty handler behind plain node:http. */
export async function run([seconds = '2']: string[]): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({ env: { LOG_LEVEL: 'info' } })
  closing.defer(environment.close)
  const next = await otherEntry(closing, environment.env, '../support/process/next-server.child.ts')
  const direct = await environment.app()
  const plain = await otherEntry(closing, environment.env, 'entry.child.ts')
  const users = await Promise.all(Array.from({ length: CONNECTIONS }, environment.user))
  const get = (path: string): Call[] => users.map(({ headers }) => ({ method: 'GET', path, headers }))
  const post = users.map(
    ({ headers }): Call => ({
      method: 'POST',
      path: '/api/trpc/upload.requestUploadUrl',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ filename: 'photo.png', mimeType: 'image/png', size: 1 }),
    }),
  )
  const live = get('/api/health/live')
  const usage = get('/api/trpc/account.usage')
  const of = (entry: Subject['of'], calls: Call[]) => ({ of: entry, calls, connections: CONNECTIONS })
  const { results, noise } = await takeTurns(
    {
      'a handler that does nothing, node:http': of(plain, live),
      'a handler that does nothing, npm start': of(direct, live),
      'a handler that does nothing, Next': of(next, live),
      'account.usage, npm start': of(direct, usage),
      'account.usage, Next': of(next, usage),
      'upload.requestUploadUrl, npm start': of(direct, post),
      'upload.requestUploadUrl, Next': of(next, post),
    },
    { rounds: ROUNDS, secondsPerRound: Number(seconds) },
  )
  const plainResult = results['a handler that does nothing, node:http']
  const directResult = results['a handler that does nothing, npm start']
  const ofPlain = directResult.perSecond / plainResult.perSecond
  const cpuOfPlain = directResult.cpuMicrosPerCall / plainResult.cpuMicrosPerCall
  return {
    rows: Object.entries(results).map(
      ([name, { perSecond, p50Ms, p99Ms, cpuMicrosPerCall, cpuMicrosOf }]) => {
        const [what, entry] = name.split(', ')
        const ofNext = results[`${what}, Next` as keyof typeof results]
        return {
          what: what!,
          entry: entry!,
          'per second': Math.round(perSecond),
          'of Next': round(perSecond / ofNext.perSecond),
          'p50 ms': round(p50Ms),
          'p99 ms': round(p99Ms),
          'server CPU µs': Math.round(cpuMicrosPerCall),
          'client CPU µs': Math.round(cpuMicrosOf.client!),
        }
      },
    ),
    noise,
    notes: [
      `${CONNECTIONS} connections, a user each; best of ${ROUNDS} rounds of ${seconds} s in turn. All entries give each request an ID, security headers and metrics. Only Next's logs this health check. If the client needs as much CPU per call as the server, it limits the rate.`,
      `target: an empty handler reaches at least ${TARGET} of plain node:http: ${ofPlain.toFixed(2)}, with ${round(cpuOfPlain)} times its CPU`,
    ],
    failed: ofPlain < TARGET,
  }
}

async function otherEntry(closing: AsyncDisposableStack, env: Record<string, string>, file: string) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { url, pid } = await spawnService(closing, [...NODE_FLAGS, path], {
    env: { ...env, NODE_ENV: 'production' },
  })
  return { url: url!, pid: Number(pid) }
}
