// Which system user PostgreSQL runs as. It refuses root; an ordinary user runs it as itself.

import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/** `null`: as whoever runs this process. */
export type Account = { uid: number; gid: number } | null

/** True if this process is root, whom PostgreSQL refuses to serve. */
export function isRoot(): boolean {
  return process.getuid?.() === 0
}

/**
 * The account for a cluster in `dataDir`: the owner of one that exists (so a folder made as an
 * ordinary user also works as root and the reverse), else `postgres` or `nobody`. No user is created.
 * initdb insists on a name in the user database, so a bare unused uid is no alternative.
 * Throws if root's data would have to be used by somebody else, or no account is found.
 */
export function accountFor(dataDir: string): Account {
  const owner = existsSync(dataDir) ? statSync(dataDir) : null
  if (!isRoot()) {
    if (owner && process.getuid && owner.uid !== process.getuid()) {
      throw new Error(`${dataDir} belongs to user id ${owner.uid}; run as that user or root, or remove it`)
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
      // No such user here.
    }
  }
  throw new Error('PostgreSQL does not run as root, and neither user "postgres" nor "nobody" exists here')
}

/** Hands a file or folder to the account; nothing to do for an ordinary user. */
export function give(path: string, account: Account): void {
  if (account) chownSync(path, account.uid, account.gid)
}

/** Whether users without any rights of their own may pass through every folder above `path`. */
export function othersMayReach(path: string): boolean {
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false
    if (folder === dirname(folder)) return true
  }
}
