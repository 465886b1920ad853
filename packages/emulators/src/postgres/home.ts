// Where a server's files lie. Ordinarily in the folder the caller names. As root below a folder that
// others may not enter (a checkout in /root, say) PostgreSQL's account could not get there: then the
// files lie elsewhere, and the caller's folder keeps a note of where.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { type Account, accountFor, give, isRoot, othersMayReach } from './account.ts'

const NOTE = 'location'

/** `home`: 0700, holds data, log and copied programs. `dir`: what the caller named. */
export type Place = { dir: string; home: string; data: string; log: string; account: Account }

/**
 * The place for a server that was asked for in `dir`; made if it isn't there. Removing `dir` means
 * starting afresh, wherever the data were. `temporary` prefers the system's temp folder.
 */
export function findPlace(requested: string, temporary: boolean): Place {
  mkdirSync(requested, { recursive: true })
  const dir = realpathSync(resolve(requested))
  const home = homeFor(dir, temporary)
  const data = join(home, 'data')
  const account = accountFor(data)
  if (home !== dir || isOurs(dir)) give(home, account)
  return { dir, home, data, log: join(home, 'postgres.log'), account }
}

/** Removes everything of a server that does not run. */
export function removePlace(place: Place): void {
  rmSync(place.home, { recursive: true, force: true })
  rmSync(place.dir, { recursive: true, force: true })
}

function homeFor(dir: string, temporary: boolean): string {
  if (!isRoot() || existsSync(join(dir, 'data'))) return dir
  const note = join(dir, NOTE)
  if (existsSync(note)) {
    const home = readFileSync(note, 'utf8').trim()
    if (existsSync(home)) return home
  }
  if (othersMayReach(dir) && isOurs(dir)) return dir
  const home = makeFolderOthersMayReach(temporary)
  writeFileSync(note, `${home}\n`)
  return home
}

/** Whether the folder may be handed to PostgreSQL's account: it holds nothing but a server's files. */
function isOurs(dir: string): boolean {
  return readdirSync(dir).every((name) =>
    /^(data|data\.partial|password|postgres\.log|lock.*|native-.*|location)$/.test(name),
  )
}

function makeFolderOthersMayReach(temporary: boolean): string {
  const bases = ['/var/lib/pigeonhole', '/var/tmp', tmpdir()]
  for (const base of temporary ? bases.reverse() : bases) {
    try {
      mkdirSync(base, { recursive: true, mode: 0o711 })
      const home = mkdtempSync(join(base, 'pigeonhole-postgres-'))
      if (othersMayReach(home)) return home
      rmSync(home, { recursive: true })
    } catch {
      // Read-only or missing: the next one.
    }
  }
  throw new Error('found no folder for PostgreSQL: as root, it needs one that other users may enter')
}
