// One process at a time runs the server of a folder. PostgreSQL guards its data itself; this lock is
// there to say who is in the way, and to know that a server without a living owner is an orphan.

import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isAlive, startMark } from './processes.ts'

/** Takes the folder's lock, over from a dead process if need be. Throws if a living one holds it. */
export function takeLock(home: string): { release(): void } {
  const lock = join(home, 'lock')
  const mine = join(home, `lock.${process.pid}.${Math.random().toString(36).slice(2)}`)
  const owner = `${process.pid} ${startMark(process.pid)}\n`
  writeFileSync(mine, owner, { mode: 0o600 })
  try {
    // A link, unlike a write, appears with its content or not at all.
    for (let attempt = 0; attempt < 20; attempt += 1) {
      try {
        linkSync(mine, lock)
        return { release: () => releaseIf(lock, owner) }
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
      }
      const holder = read(lock)
      if (holder === null) continue
      if (isHeld(holder)) {
        throw new Error(`PostgreSQL in ${home} is already run by process ${holder.split(' ')[0]}`)
      }
      discard(lock, holder)
    }
    throw new Error(`could not take ${lock}: too many processes at once`)
  } finally {
    rmSync(mine, { force: true })
  }
}

function isHeld(holder: string): boolean {
  const [pid = '', mark = ''] = holder.trim().split(' ')
  return isAlive(Number(pid)) && startMark(Number(pid)) === mark
}

/** Removes a dead process's lock; puts back what another process has taken in the meantime. */
function discard(lock: string, holder: string): void {
  const aside = `${lock}.stale.${process.pid}`
  try {
    renameSync(lock, aside)
    if (read(aside) !== holder) linkSync(aside, lock)
  } catch {
    // Another process was faster; the caller looks again.
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
