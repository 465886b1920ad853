import { fileURLToPath } from 'node:url'
import { spawnService, startEnvironment } from './environment.ts'
import { best, type Call, type LoadOutput, load, round } from './load.ts'
import type { Report } from './report.ts'

const CONNECTIONS = 16
const ROUNDS = 3

/** The same handlers behind Next, behind `npm start` and behind plain node:http: what Next's request path costs. */
export async function run([seconds = '6']: string[]): Promise<Report> {
  await using closing = new AsyncDisposableStack()
  const environment = await startEnvironment({ env: { LOG_LEVEL: 'info' } })
  closing.defer(environment.close)
  const next = await otherEntry(closing, environment.env, 'next')
  const direct = await environment.app()
  const lean = await otherEntry(closing, environment.env, 'node:http')
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
  const kinds = [
    { what: 'a handler that does nothing', calls: get('/api/health/live') },
    { what: 'account.usage', calls: get('/api/trpc/account.usage') },
    { what: 'upload.requestUploadUrl', calls: post },
  ]
  const entries = [
    { entry: 'Next, looking for the route', of: next },
    { entry: 'npm start', of: direct },
    { entry: 'node:http', of: lean },
  ]
  const subjects = kinds.flatMap((kind) => entries.map((entry) => ({ ...kind, ...entry })))
  const rounds = subjects.map((): LoadOutput[] => [])
  for (let n = 0; n < ROUNDS; n++)
    for (const [i, { of, calls }] of subjects.entries())
      rounds[i]!.push(
        await load({
          origin: of.url,
          serverPid: of.pid,
          calls,
          connections: CONNECTIONS,
          seconds: Number(seconds),
          warmUpSeconds: n === 0 ? Math.min(4, Number(seconds)) : 1,
        }),
      )
  const results = rounds.map(best)
  return {
    rows: subjects.map(({ what, entry }, i) => {
      const ofNext = results[i - (i % entries.length)]!
      const { perSecond, p50Ms, p99Ms, cpuMicrosPerCall } = results[i]!
      return {
        what,
        entry,
        'per second': Math.round(perSecond),
        'of Next': round(perSecond / ofNext.perSecond),
        'p50 ms': round(p50Ms),
        'p99 ms': round(p99Ms),
        'server CPU µs': Math.round(cpuMicrosPerCall),
      }
    }),
    notes: [
      `${CONNECTIONS} connections, a user each; best of ${ROUNDS} rounds of ${seconds} s in turn. All entries give each request an id, security headers, a log line and metrics.`,
      'docs/decisions/040-lean-entry.md says what follows from it.',
    ],
  }
}

async function otherEntry(
  closing: AsyncDisposableStack,
  env: Record<string, string>,
  entry: 'next' | 'node:http',
) {
  const path = fileURLToPath(new URL('entry.child.ts', import.meta.url))
  const { url, pid } = await spawnService(closing, [path, entry], { env: { ...env, NODE_ENV: 'production' } })
  return { url: url!, pid: Number(pid) }
}
