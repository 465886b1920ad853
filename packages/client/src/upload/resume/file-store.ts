import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnfinishedUpload, UnfinishedUploadStore } from '../types.ts'
import { markOf } from './process-mark.ts'

const claimedHere = new Set<string>()

/** One small file per unfinished upload in a folder of its own (made where it is missing). For Node. */
export function fileStore(dir: string): UnfinishedUploadStore {
  const path = (fingerprint: string): string => join(dir, `${fingerprint}.json`)
  return {
    get: (fingerprint) => readEntry(path(fingerprint)),
    put: async ({ attachment: _, ...entry }) => {
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const fresh = `${path(entry.fingerprint)}.${process.pid}.new`
      await writeFile(fresh, `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600 })
      await rename(fresh, path(entry.fingerprint))
    },
    remove: (fingerprint) => rm(path(fingerprint), { force: true }),
    list: async () => {
      const names = await readdir(dir).catch(() => [])
      const entries = await Promise.all(
        names.filter((name) => name.endsWith('.json')).map((name) => readEntry(join(dir, name))),
      )
      return entries.filter((entry) => entry !== undefined)
    },
    claim: async (fingerprint) => {
      if (claimedHere.has(fingerprint)) return undefined
      claimedHere.add(fingerprint)
      await mkdir(dir, { recursive: true, mode: 0o700 })
      const lock = join(dir, `${fingerprint}.lock`)
      const taken = await take(lock)
      if (!taken) claimedHere.delete(fingerprint)
      return taken
        ? () => {
            claimedHere.delete(fingerprint)
            void rm(lock, { force: true })
          }
        : undefined
    },
  }
}

async function readEntry(path: string): Promise<UnfinishedUpload | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as UnfinishedUpload
  } catch (error) {
    // Not there, or cut off by a full disk: as good as none.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** A file with our process's mark; one whose process is gone was left by a crash and is taken over. */
async function take(lock: string): Promise<boolean> {
  const own = `${lock}.${process.pid}`
  await writeFile(own, (await markOf(process.pid)) ?? String(process.pid))
  try {
    for (let round = 0; round < 3; round++) {
      try {
        // Unlike writing with the flag wx, never visible without its content.
        await link(own, lock)
        return true
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        if (await isHeld(await readFile(lock, 'utf8').catch(() => ''))) return false
        await rm(lock, { force: true })
      }
    }
    return false
  } finally {
    await rm(own, { force: true })
  }
}

/** `mark`: of the process that wrote the lock; an older release wrote its id alone. */
async function isHeld(mark: string): Promise<boolean> {
  const [id = '', startedAt] = mark.split(' ')
  const pid = Number(id)
  // Our own id in a lock that is not ours: containers number their processes the same every time.
  if (!(pid > 0) || pid === process.pid) return false
  const running = await markOf(pid)
  return running !== null && (startedAt === undefined || running === mark)
}
