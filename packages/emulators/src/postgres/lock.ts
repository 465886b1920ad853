// Lets one process at a time run the server of a folder. PostgreSQL guards its data itself. This lock tells which
// process holds the folder, and shows that a server without a running owner is an orphan.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, startMark } from './processes.ts'

/** Takes the folder's lock, even from a process that has ended. @throws Error if a running process holds it */
export function takeLock(home: string): { release(): void } {
  const lock = join(home, 'lock')
  const draft = join(home, `lock.${process.pid}.${Math.random().toString(36).slice(2)}`)
  const owner = `${process.pid} ${startMark(process.pid)}\n`
  writeFileSync(draft, owner, { mode: 0o600 })
  try {
    // A link, unlike a write, appears with its content or not at all.
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        linkSync(draft, lock)
        return { release: () => releaseIf(lock, owner) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const holder = read(lock)
      if (holder === null) continue
      if (isHeld(holder)) {
        throw new Error(
          `PostgreSQL in ${home} is already being run by process ${ownerOf(holder).pid}. Stop that process first, or use another folder.`,
        )
      }
      discard(lock, holder)
    }
    throw new Error(`Cannot take ${lock}: too many processes try at once`)
  } finally {
    rmSync(draft, { force: true })
  }
}

function isHeld(holder: string): boolean {
  const { pid, mark } = ownerOf(holder)
  return isAlive(pid) && startMark(pid) === mark
}

/** Parses a lock. On macOS, the mark contains spaces. */
export function ownerOf(lock: string): { pid: number; mark: string } {
  const [pid = '', ...mark] = lock.trim().split(' ')
  return { pid: Number(pid), mark: mark.join(' ') }
}

/** Removes the lock of an ended process. Restores the lock if another process has taken it in the meantime. */
function discard(lock: string, holder: string): void {
  const aside = `${lock}.stale.${process.pid}`
  try {
    renameSync(lock, aside)
    if (read(aside) !== holder) linkSync(aside, lock)
  } catch {
    // Another process was faster: the caller checks again.
  } finally {
    rmSync(aside, { force: true })
  }
}

function releaseIf(lock: string, owner: string): void {
  if (read(lock) === owner) rmSync(lock, { force: true })
}

function read(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}
