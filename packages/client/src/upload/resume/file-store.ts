import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { UnfinishedUpload, UnfinishedUploadStore } from '../types.ts'
import { markOf } from './process-mark.ts'

const claimedHere = new Set<string>()

/** Keeps each unfinished upload in a small file in its own folder, created if missing. For Node. */
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
      const lock = join(dir, `${fingerprint}.lock`)
      let taken = false
      try {
        await mkdir(dir, { recursive: true, mode: 0o700 })
        taken = await take(lock)
      } finally {
        if (!taken) claimedHere.delete(fingerprint)
      }
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
    // The file is missing, or was truncated by a full disk: treat it as missing.
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Creates a lock file that contains this process's mark. Takes over the lock of a process that crashed. */
async function take(lock: string): Promise<boolean> {
  const own = `${lock}.${process.pid}`
  await writeFile(own, (await markOf(process.pid)) ?? String(process.pid))
  try {
    for (let round = 0; round < 3; round++) {
      try {
        // Unlike writing with the flag wx, a link is never visible without its content.
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

/** Returns true if the process that wrote the mark is running. Older releases wrote only the process ID. */
async function isHeld(mark: string): Promise<boolean> {
  const [id = '', startedAt] = mark.split(' ')
  const pid = Number(id)
  // Our own ID in another process's lock: containers number their processes the same way each time.
  if (!(pid > 0) || pid === process.pid) return false
  const running = await markOf(pid)
  return running !== null && (startedAt === undefined || running === mark)
}
