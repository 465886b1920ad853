// Chooses the system user that PostgreSQL runs as. PostgreSQL refuses to run as root, so an ordinary user runs it
// directly.

import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** Null for the user of this process. */
export type Account = { uid: number; gid: number } | null

/** Returns true if this process runs as root. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * Returns the account for a cluster in `dataDir`. An existing cluster keeps its owner, so a folder created as an
 * ordinary user also works as root, and vice versa. A new one gets `postgres` or `nobody`. No user is created: initdb
 * requires a name in the user database, so an unused user ID is no alternative.
 * @throws Error if another user would have to use root's data, or no account is found
 */
export function accountFor(dataDir: string): Account {
  const owner = existsSync(dataDir) ? statSync(dataDir) : null
  if (!isRoot()) {
    if (owner && process.getuid && owner.uid !== process.getuid()) {
      throw new Error(
        `${dataDir} belongs to user ID ${owner.uid}: run as that user or as root, or remove the folder`,
      )
    }
    return null
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { stdio: ['ignore', 'pipe', 'ignore'] }))
      return { uid: id('-u'), gid: id('-g') }
    } catch {
      // This user does not exist: try the next.
    }
  }
  throw new Error('PostgreSQL cannot run as root, and neither user "postgres" nor "nobody" exists')
}

/** Makes the account the owner of a file or folder. Does nothing for an ordinary user. */
export function changeOwner(path: string, account: Account): void {
  if (account) chownSync(path, account.uid, account.gid)
}

/** Returns true if users without special rights can pass through every folder above `path`. */
export function isReachableByOthers(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}
