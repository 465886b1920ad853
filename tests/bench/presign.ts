import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startCompanion } from './companion.ts'
import type { Comparison } from './compare.verdict.ts'
import { startEnvironment } from './environment.ts'
import { type Call, round } from './load.ts'
import { reservationsPerSecond } from './pgbench.ts'
import type { BenchReport } from './report.ts'
import { comparePairs, measureOnce, type Subject, takeTurns } from './turns.ts'

const CONNECTIONS = 16
const ROUNDS = 3
/** Shares of Companion's rate and CPU. Other work on the machine can cause a lower rate, but hardly more CPU. */
const MIN_RATE = 1.5
const MAX_CPU = 0.5
const MIN_RATE_OF_PARTS = 14
const PARTS = 100
const PART = 5 * 1024 * 1024
const PAIRS = 7

/** Compares presigned URLs over HTTP, with session, quota and database, with Companion, which has none of these. */
export async function run([seconds = '3']: string[]): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-presign-'))
  closing.defer(() => rm(dir, { recursive: true }))
  const policies = join(dir, 'policies.json')
  await writeFile(policies, JSON.stringify({ photo: { mimeTypes: ['image/*'], maxBytes: 2 * 1024 * 1024 } }))
  const environment = await startEnvironment({ env: { UPLOAD_POLICIES_FILE: policies } })
  closing.defer(environment.close)
  const app = await environment.app()
  const companion = await startCompanion(closing, environment.env)

  // One user per connection, so that no call waits for another user's row.
  const users = await Promise.all(Array.from({ length: CONNECTIONS }, environment.user))
  const asUser = (headers: Record<string, string>, procedure: string, input: object): Call => ({
    method: 'POST',
    path: `/api/trpc/${procedure}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  const photo = { filename: 'photo.png', mimeType: 'image/png', size: 1024 * 1024 }
  const film = { filename: 'film.mp4', mimeType: 'video/mp4', size: PARTS * PART, totalParts: PARTS }
  const partNumbers = Array.from({ length: PARTS }, (_, i) => i + 1)
  const uploads = await Promise.all(
    users.map(async ({ headers }) => {
      const call = asUser(headers, 'upload.initiateMultipart', film)
      const answer = await fetch(app.url + call.path, call)
      const { result } = (await answer.json()) as { result: { data: { fileId: string } } }
      return asUser(headers, 'upload.getPartUrls', { fileId: result.data.fileId, partNumbers })
    }),
  )

  const requests = (input: object) =>
    users.map(({ headers }) => asUser(headers, 'upload.requestUploadUrl', input))
  const batch = get(`/s3/multipart/an-upload-id/batch?key=film.mp4&partNumbers=${partNumbers}`)
  const params = get('/s3/params?filename=photo.png&type=image/png')
  const of = (subject: Subject['of'], calls: Call[]) => ({ of: subject, calls, connections: CONNECTIONS })
  const { results, noise } = await takeTurns(
    {
      companionParams: of(companion, params),
      requestUploadUrl: of(app, requests(photo)),
      withPolicy: of(app, requests({ ...photo, policy: 'photo' })),
      companionBatch: of(companion, batch),
      getPartUrls: of(app, uploads),
    },
    { rounds: ROUNDS, secondsPerRound: Number(seconds) },
  )
  const { cpu, cpuNoise } = await comparePairs(
    {
      name: 'requestUploadUrl without a policy',
      base: () => measureOnce(of(app, requests(photo)), Number(seconds)),
      other: () => measureOnce(of(app, requests({ ...photo, policy: 'photo' })), Number(seconds)),
    },
    PAIRS,
  )
  const floor = await reservationsPerSecond({
    databaseUrl: environment.databaseUrl,
    dir,
    userIds: users.map(({ id }) => id),
    seconds: Number(seconds),
  })

  type Name = keyof typeof results
  const row = (call: string, name: Name, base: Name) => {
    const { perSecond, p50Ms, p99Ms, cpuMicrosPerCall } = results[name]
    return {
      call,
      'per second': Math.round(perSecond),
      'of companion': round(perSecond / results[base].perSecond),
      'p50 ms': round(p50Ms),
      'p99 ms': round(p99Ms),
      'server CPU µs': Math.round(cpuMicrosPerCall),
      'CPU of companion': round(cpuMicrosPerCall / results[base].cpuMicrosPerCall),
    }
  }
  const ofParams = results.requestUploadUrl.perSecond / results.companionParams.perSecond
  const cpuOfParams = results.requestUploadUrl.cpuMicrosPerCall / results.companionParams.cpuMicrosPerCall
  const ofBatch = results.getPartUrls.perSecond / results.companionBatch.perSecond
  return {
    rows: [
      row('companion GET /s3/params', 'companionParams', 'companionParams'),
      row('upload.requestUploadUrl', 'requestUploadUrl', 'companionParams'),
      row('the same with a policy', 'withPolicy', 'companionParams'),
      ...(floor
        ? [
            {
              call: 'pgbench, the reservation alone',
              'per second': Math.round(floor.perSecond),
              'of companion': round(floor.perSecond / results.companionParams.perSecond),
              'p50 ms': round(floor.p50Ms),
            },
          ]
        : []),
      row(`companion batch of ${PARTS}`, 'companionBatch', 'companionBatch'),
      row(`upload.getPartUrls (${PARTS})`, 'getPartUrls', 'companionBatch'),
    ],
    notes: [
      `${CONNECTIONS} connections, each with its own user; best of ${ROUNDS} rounds of ${seconds} s in turn. Client, server and PostgreSQL share the processors.`,
      'Companion: 6.2.1 in Express, without user sessions, quotas, database or request log. Pigeonhole: as built, with all of these and fsync.',
      ...(floor ? [] : ['pgbench is not installed: no floor. Debian has it in the package postgresql.']),
      `targets: requestUploadUrl at least ${MIN_RATE} of Companion's rate: ${ofParams.toFixed(2)}, at most ${MAX_CPU} of its CPU: ${cpuOfParams.toFixed(2)}; getPartUrls at least ${MIN_RATE_OF_PARTS} of its rate: ${ofBatch.toFixed(1)}`,
    ],
    failed: ofParams < MIN_RATE || cpuOfParams > MAX_CPU || ofBatch < MIN_RATE_OF_PARTS,
    noise,
    more: [
      {
        rows: [pairsRow('requestUploadUrl with a policy', cpu), pairsRow('without again (noise)', cpuNoise)],
        notes: [
          `${PAIRS} pairs of ${seconds} s: server CPU per call, divided by that of requestUploadUrl without a policy right before and after. "Slower" means that it was in every pair.`,
          `target: at most 1.05 with a policy: ${cpu.median.toFixed(2)}`,
        ],
        failed: cpu.failed,
      },
    ],
  }
}

const pairsRow = (call: string, { median, least, most, verdict }: Comparison) => ({
  call,
  'CPU of the call without a policy': round(median),
  least: round(least),
  most: round(most),
  verdict,
})

const get = (path: string): Call[] => [{ method: 'GET', path }]
