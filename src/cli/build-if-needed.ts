import { spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ROOT } from './own-files.ts'

export { ROOT } from './own-files.ts'

const STAMP = join(ROOT, '.next', 'built-from')
const LOCK = join(ROOT, '.data', 'build.lock')
const SOURCES = [
  'src',
  'packages/client/src',
  'packages/client/package.json',
  'prisma',
  'public',
  'package-lock.json',
  'next.config.js',
  'postcss.config.mjs',
  'tsconfig.json',
]
/** Folders of src that the build does not read, or that are generated from other sources. */
const OUTSIDE = ['generated', 'cli']

/** Runs `next build` unless the last build used exactly these sources. Safe to run concurrently. */
export async function buildIfNeeded(): Promise<void> {
  const wanted = await sourceHash()
  if ((await stamp()) === wanted) return
  await mkdir(join(ROOT, '.data'), { recursive: true })
  await doOnce(
    LOCK,
    async () => (await stamp()) === wanted,
    async () => {
      await runBuild()
      await writeFile(STAMP, wanted)
    },
  )
}

/**
 * Does the work in one process at a time unless `isDone`; other processes wait for it. If the process at work dies,
 * one of them starts again.
 */
export async function doOnce(
  lock: string,
  isDone: () => Promise<boolean>,
  work: () => Promise<void>,
): Promise<void> {
  while (!(await takeLock(lock))) {
    await sleep(500)
    if (await isDone()) return
  }
  try {
    if (!(await isDone())) await work()
  } finally {
    await rm(lock, { force: true })
  }
}

async function stamp(): Promise<string | undefined> {
  return readFile(STAMP, 'utf8').catch(() => undefined)
}

/** Returns false if another process has the lock. Removes the lock of a process that no longer runs. */
async function takeLock(lock: string): Promise<boolean> {
  // A link, unlike a new file, has its content at once, even if this process is killed.
  const own = `${lock}.${randomUUID()}`
  await writeFile(own, String(process.pid))
  try {
    await link(own, lock).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EEXIST' || error.code === 'ENOENT') throw error
      // This file system has no links.
      return writeFile(lock, String(process.pid), { flag: 'wx' })
    })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const owner = await readFile(lock, 'utf8').catch(() => undefined)
    const isStale = owner !== undefined && !(Number(owner) > 0 && isAlive(Number(owner)))
    if (isStale) await rm(lock, { force: true })
    return false
  } finally {
    await rm(own, { force: true })
  }
}

/** Returns true if the process runs, even as another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns the hash of every file that `next build` reads. */
async function sourceHash(): Promise<string> {
  const hash = createHash('sha256')
  for (const name of SOURCES) {
    const path = join(ROOT, name)
    const info = await stat(path).catch(() => undefined)
    if (!info) continue
    const files = info.isDirectory()
      ? (await readdir(path, { recursive: true, withFileTypes: true }))
          .filter((e) => e.isFile())
          .map((e) => join(e.parentPath, e.name))
          .filter((f) => !OUTSIDE.some((name) => f.startsWith(join(ROOT, 'src', name, sep))))
          .sort()
      : [path]
    for (const file of files)
      hash
        .update(file.slice(ROOT.length))
        .update('\0')
        .update(await readFile(file))
  }
  return hash.digest('hex')
}

async function runBuild(): Promise<void> {
  const child = spawn(process.execPath, [join(ROOT, 'node_modules/next/dist/bin/next'), 'build'], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) throw new Error(`next build failed:\n${output}`)
}
