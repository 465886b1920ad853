import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Client, createClient } from '@pigeonhole/client'
import { createNodeUploader, fileSource } from '@pigeonhole/client/node'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { randomPorts } from '../support/random-ports.ts'
import { startEnvironment } from './environment.ts'
import { round } from './load.ts'
import type { BenchReport } from './report.ts'
import { AT_ONCE, besideBare, MIB, type Run, type Signed, writeFilm } from './upload-bare.ts'
import { fromChromium } from './upload-chromium.ts'

const SIZE = 1024 * MIB

/** Compares the engine in Node and in Chromium, with the built server, with bare PUTs of the same parts. */
export async function run(): Promise<BenchReport> {
  await using closing = new AsyncDisposableStack()
  const [port] = await randomPorts(1)
  // Pages must have the server's own URL.
  const url = `http://localhost:${port}`
  const environment = await startEnvironment({ env: { NEXTAUTH_URL: url, PORT: String(port) } })
  closing.defer(environment.close)
  await promisify(execFile)(process.execPath, [join(ROOT, 'src/cli/bucket-setup.ts')], {
    env: environment.env as NodeJS.ProcessEnv,
  })
  await environment.app()
  const { token } = await environment.user()
  const client = createClient({ baseUrl: url, token: () => token })
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-bench-upload-'))
  closing.defer(() => rm(dir, { recursive: true }))

  const path = join(dir, 'large.mp4')
  await writeFilm(path, SIZE)
  const node = await besideBare(
    client,
    { name: 'engine in Node', bareName: 'bare PUTs of node:http', size: SIZE, rounds: 4, target: 0.85 },
    { bare: (signed) => barePuts(path, signed), engine: () => throughEngine(client, path) },
  )
  const chromium = await fromChromium({ client, url, token, dir })
  const results = [node, ...('rows' in chromium ? [chromium] : [])]
  return {
    rows: results.flatMap((result) => result.rows),
    notes: [
      'From disk to the S3 emulator. "Bare" sends whole parts to URLs that were signed before the measurement, and verifies nothing.',
      'engine: quota, initiation, signing, PUTs with progress, reports, and the completion (ListParts, assembly, content check).',
      ...results.map((result) => result.note),
      ...('leftOut' in chromium ? [chromium.leftOut] : []),
    ],
    noise: node.noise,
    failed: results.some((result) => result.failed) || ('leftOut' in chromium && Boolean(process.env.CI)),
  }
}

async function throughEngine(client: Client, path: string): Promise<Run> {
  const uploader = createNodeUploader(client, { concurrency: AT_ONCE })
  const source = await fileSource(path)
  const result = await withCpu(async () => {
    const end = await uploader.upload(source).settled()
    if (end.state !== 'done') throw new Error(end.error?.message)
  })
  await uploader.close()
  return result
}

async function barePuts(path: string, { urls, partSize }: Signed): Promise<Run> {
  const agent = new Agent({ keepAlive: true })
  const source = await open(path)
  let next = 0
  const worker = async () => {
    while (next < urls.length) {
      const part = next++
      const body = Buffer.allocUnsafe(Math.min(partSize, SIZE - part * partSize))
      await source.read(body, 0, body.length, part * partSize)
      await put(agent, urls[part]!, body)
    }
  }
  const result = await withCpu(() => Promise.all(Array.from({ length: AT_ONCE }, worker)))
  await source.close()
  agent.destroy()
  return result
}

async function put(agent: Agent, url: string, body: Buffer): Promise<void> {
  const req = request(url, { method: 'PUT', agent, headers: { 'content-length': body.length } })
  req.end(body)
  const [res] = await once(req, 'response')
  res.resume()
  await once(res, 'end')
  if (res.statusCode !== 200) throw new Error(`PUT returned ${res.statusCode}`)
}

async function withCpu(work: () => Promise<unknown>): Promise<Run> {
  const before = process.cpuUsage()
  const startedAt = performance.now()
  await work()
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(before)
  return { seconds, more: { 'CPU s': round((user + system) / 1e6) } }
}
