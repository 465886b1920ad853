import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEnvironment } from './environment.ts'
import { type Call, round } from './load.ts'
import { noiseOf } from './noise.ts'
import { type CpuProfile, layersOf } from './profile.layers.ts'
import type { BenchReport } from './report.ts'
import { figuresOf, measureOnce } from './turns.ts'

const CONNECTIONS = 16
const INTERVAL_MICROS = 250

/**
 * Attributes the CPU of `upload.requestUploadUrl` to layers: socket, request, session, validation, statement, signing,
 * response, log, metrics. Argument: seconds of the measurement.
 */
export async function run([seconds = '10']: string[]): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-profile-'))
  closing.defer(() => rm(dir, { recursive: true }))
  const environment = await startEnvironment()
  closing.defer(environment.close)
  const app = await environment.app([
    '--cpu-prof',
    `--cpu-prof-dir=${dir}`,
    `--cpu-prof-interval=${INTERVAL_MICROS}`,
  ])
  const users = await Promise.all(Array.from({ length: CONNECTIONS }, environment.user))
  const calls = users.map(
    ({ headers }): Call => ({
      method: 'POST',
      path: '/api/trpc/upload.requestUploadUrl',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ filename: 'photo.png', mimeType: 'image/png', size: 1024 * 1024 }),
    }),
  )
  const subject = { of: app, calls, connections: CONNECTIONS }
  await measureOnce(subject, Number(seconds) / 2, 2)
  const before = await measureOnce(subject, Number(seconds))
  const from = monotonicMicros()
  const result = await measureOnce(subject, Number(seconds), 0)
  const to = monotonicMicros()
  // The profile is written at the end of the process.
  await app.stop()
  const [file] = await readdir(dir)
  const profile = JSON.parse(await readFile(join(dir, file!), 'utf8')) as CpuProfile
  const layers = layersOf(profile, { from, to })
  const total = layers.reduce((sum, { micros }) => sum + micros, 0)
  return {
    rows: layers.map(({ layer, micros, top }) => ({
      layer,
      'CPU µs per call': round((micros / total) * result.cpuMicrosPerCall, 1),
      share: round(micros / total),
      'most of it in': top,
    })),
    notes: [
      `upload.requestUploadUrl, ${CONNECTIONS} connections with a user each, ${seconds} s after a warm-up. A sample counts for the innermost layer on its stack, so the socket of PostgreSQL counts as statement.`,
      `The layers share the ${Math.round(result.cpuMicrosPerCall)} µs of CPU per call of the server's process in proportion to the main thread's samples. The profiler itself takes some of it.`,
    ],
    noise: noiseOf('upload.requestUploadUrl', figuresOf(before), figuresOf(result)),
  }
}

/** Returns the clock that V8 uses for profiles. */
function monotonicMicros(): number {
  return Number(process.hrtime.bigint() / 1000n)
}
