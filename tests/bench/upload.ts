import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createClient } from '../../src/client/client.ts'
import { createNodeUploader, fileSource } from '../../src/client/upload/node.ts'
import { applyMigrations } from '../../src/server/data/migrate.ts'
import { startPostgres } from '../../src/standins/postgres/index.ts'
import { createUser } from '../support/session.ts'
import type { Report } from './report.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB
const SIZE = GIB
const PART = 5 * MIB
const AT_ONCE = 4
const ROUNDS = 3
const AIM = 0.85
const SECRET = 'a-secret-that-is-long-enough-for-a-benchmark'

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url))

type Client = ReturnType<typeof createClient>
type Run = { seconds: number; cpuSeconds: number }

/** 1 GiB through the engine, server and all, beside the same parts by bare PUTs to URLs signed beforehand. */
export async function run(): Promise<Report> {
  await using stack = new AsyncDisposableStack()
  const dir = await mkdtemp(join(tmpdir(), 'pigeonhole-bench-upload-'))
  stack.defer(() => rm(dir, { recursive: true }))
  const { url, token } = await startAll(stack, dir)
  const client = createClient({ baseUrl: url, token: () => token })
  const path = join(dir, 'film.mp4')
  await writeFilm(path)

  const bare: Run[] = []
  const engine: Run[] = []
  // In turn, so that whatever else the machine does falls on both.
  for (let round = 0; round < ROUNDS; round++) {
    bare.push(await barePuts(client, path))
    engine.push(await throughEngine(client, path))
  }
  const base = median(bare)
  const ours = median(engine)
  const row = (name: string, { seconds, cpuSeconds }: Run) => ({
    client: name,
    'MiB/s': Math.round(SIZE / MIB / seconds),
    seconds: Number(seconds.toFixed(2)),
    'CPU s': Number(cpuSeconds.toFixed(2)),
    ratio: Number((base.seconds / seconds).toFixed(2)),
  })
  const ratio = base.seconds / ours.seconds
  return {
    rows: [row('bare parallel PUTs', base), row('engine', ours)],
    notes: [
      `1 GiB in ${Math.ceil(SIZE / PART)} parts, ${AT_ONCE} at once, from disk to the S3 stand-in in a process of its own; median of ${ROUNDS} rounds in turn.`,
      'bare: whole parts read into memory and written to kept connections, URLs signed before the clock starts, nothing verified.',
      'engine: quota, initiation, signing, PUTs with progress, reports, and the completion (ListParts, assembly, content check).',
      `aim: ${AIM} of bare PUTs; reached ${ratio.toFixed(2)}`,
    ],
    failed: ratio < AIM,
  }
}

async function throughEngine(client: Client, path: string): Promise<Run> {
  const uploader = createNodeUploader(client, { concurrency: AT_ONCE })
  const source = await fileSource(path)
  let fileId = ''
  const result = await clocked(async () => {
    const end = await uploader.upload(source).settled()
    if (end.state !== 'done') throw new Error(end.error?.message)
    fileId = end.fileId!
  })
  await uploader.close()
  await client.files.delete.mutate({ fileId })
  return result
}

async function barePuts(client: Client, path: string): Promise<Run> {
  const totalParts = Math.ceil(SIZE / PART)
  const { fileId } = await client.upload.initiateMultipart.mutate({
    ...{ filename: 'bare.mp4', mimeType: 'video/mp4', size: SIZE, totalParts },
  })
  const urls: string[] = []
  for (let first = 1; first <= totalParts; first += 100) {
    const partNumbers = Array.from({ length: Math.min(100, totalParts + 1 - first) }, (_, i) => first + i)
    const { parts } = await client.upload.getPartUrls.mutate({ fileId, partNumbers })
    urls.push(...parts.map((part) => part.uploadUrl))
  }
  const agent = new Agent({ keepAlive: true })
  const source = await open(path)
  let next = 0
  const worker = async () => {
    while (next < totalParts) {
      const part = next++
      const body = Buffer.allocUnsafe(Math.min(PART, SIZE - part * PART))
      await source.read(body, 0, body.length, part * PART)
      await put(agent, urls[part]!, body)
    }
  }
  const result = await clocked(() => Promise.all(Array.from({ length: AT_ONCE }, worker)))
  await source.close()
  agent.destroy()
  await client.upload.abortMultipart.mutate({ fileId })
  return result
}

async function put(agent: Agent, url: string, body: Buffer): Promise<void> {
  const req = request(url, { method: 'PUT', agent, headers: { 'content-length': body.length } })
  req.end(body)
  const [res] = await once(req, 'response')
  res.resume()
  await once(res, 'end')
  if (res.statusCode !== 200) throw new Error(`PUT answered ${res.statusCode}`)
}

async function clocked(work: () => Promise<unknown>): Promise<Run> {
  const cpu = process.cpuUsage()
  const begun = performance.now()
  await work()
  const { user, system } = process.cpuUsage(cpu)
  return { seconds: (performance.now() - begun) / 1000, cpuSeconds: (user + system) / 1e6 }
}

function median(runs: Run[]): Run {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(runs.length / 2)]!
}

async function writeFilm(path: string): Promise<void> {
  const piece = Buffer.alloc(MIB, 7)
  piece.write('\0\0\0\x18ftypisom', 'latin1')
  const out = await open(path, 'w')
  for (let at = 0; at < SIZE; at += MIB) await out.write(piece)
  await out.close()
}

/** PostgreSQL, the store and the app, each a process of its own, as they are in production. */
async function startAll(stack: AsyncDisposableStack, dir: string): Promise<{ url: string; token: string }> {
  const postgres = await startPostgres({ dir: join(dir, 'postgres'), fast: true, temporary: true })
  stack.defer(() => postgres.stop())
  const databaseUrl = await postgres.createDatabase('bench')
  await applyMigrations({ databaseUrl, directory: file('../../prisma/migrations') })
  const keys = { accessKeyId: 'bench-access-key', secretAccessKey: 'bench-secret-key' }
  const s3 = await child(stack, file('../../src/standins/s3/main.ts'), [
    JSON.stringify({
      dir: join(dir, 's3'),
      region: 'us-east-1',
      buckets: ['holes'],
      endWithStdin: true,
      ...keys,
    }),
  ])
  const app = await child(stack, file('../support/upload-server.child.ts'), [], {
    DATABASE_URL: databaseUrl,
    NEXTAUTH_URL: 'http://app.test',
    NEXTAUTH_SECRET: SECRET,
    PUSH_TOKEN_ADMIN_SECRET: SECRET,
    S3_BUCKET: 'holes',
    S3_REGION: 'us-east-1',
    S3_ENDPOINT: s3.url!,
    S3_FORCE_PATH_STYLE: 'true',
    S3_ACCESS_KEY_ID: keys.accessKeyId,
    S3_SECRET_ACCESS_KEY: keys.secretAccessKey,
    LOG_LEVEL: 'silent',
  })
  const user = await createUser({ config: { databaseUrl, sessionSecret: SECRET } }, { quotaBytes: 8 * GIB })
  return { url: `http://127.0.0.1:${app.port}`, token: user.token }
}

async function child(
  stack: AsyncDisposableStack,
  path: string,
  args: string[],
  env: Record<string, string> = {},
) {
  const started: ChildProcess = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(started, 'exit')
  stack.defer(async () => {
    started.kill('SIGTERM')
    await exited
  })
  const lines = createInterface({ input: started.stdout! })
  const [line] = (await Promise.race([
    once(lines, 'line'),
    exited.then(([code]) => Promise.reject(new Error(`${path} ended with ${code}`))),
  ])) as [string]
  return JSON.parse(line) as { url?: string; port: number }
}
