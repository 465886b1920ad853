import { fileURLToPath } from 'node:url'
import { spawnService, startEnvironment } from './environment.ts'
import { best, type Call, type LoadOutput, load, round } from './load.ts'
import type { Report } from './report.ts'

const CONNECTIONS = 16
const ROUNDS = 3
/** Share of the rate of plain node:http with the same headers, log line and metrics. */
const TARGET = 0.8

/** Compares the same handlers behind Next and behind `npm start`, and an empty handler behind plain node:http. */
export async function run([seconds = '2']: string[]): Promise<Report> {
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
  const nothing = 'a handler that does nothing'
  const subjects = [
    { what: nothing, entry: 'Next', of: next, calls: live },
    { what: nothing, entry: 'npm start', of: direct, calls: live },
    { what: nothing, entry: 'node:http', of: plain, calls: live },
    { what: 'account.usage', entry: 'Next', of: next, calls: usage },
    { what: 'account.usage', entry: 'npm start', of: direct, calls: usage },
    { what: 'upload.requestUploadUrl', entry: 'Next', of: next, calls: post },
    { what: 'upload.requestUploadUrl', entry: 'npm start', of: direct, calls: post },
  ]
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
          warmUpSeconds: n === 0 ? 2 : 1,
        }),
      )
  const results = rounds.map(best)
  const ofPlain = results[1]!.perSecond / results[2]!.perSecond
  return {
    rows: subjects.map(({ what, entry }, i) => {
      const ofNext = results[subjects.findIndex((subject) => subject.what === what)]!
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
      `${CONNECTIONS} connections, a user each; best of ${ROUNDS} rounds of ${seconds} s in turn. All entries give each request an ID, security headers, a log line and metrics.`,
      `target: an empty handler reaches at least ${TARGET} of plain node:http: ${ofPlain.toFixed(2)}`,
    ],
    failed: ofPlain < TARGET,
  }
}

async function otherEntry(closing: AsyncDisposableStack, env: Record<string, string>, file: string) {
  const path = fileURLToPath(new URL(file, import.meta.url))
  const { url, pid } = await spawnService(closing, [path], { env: { ...env, NODE_ENV: 'production' } })
  return { url: url!, pid: Number(pid) }
}
