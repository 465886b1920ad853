// Chooses where a server's files are stored, usually in the folder that the caller names. When running as root, that
// folder can be below one that other users cannot enter, such as a checkout in /root. PostgreSQL's account could not
// reach it. The files are then stored elsewhere, and the caller's folder contains a file with their location.

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
import { type Account, accountFor, changeOwner, isReachableByOthers, isRoot } from './account.ts'

const NOTE = 'location'

/** `home` (mode 0700) contains data, log and copied programs. `dir` is the folder that the caller named. */
export type Place = { dir: string; home: string; data: string; log: string; account: Account }

/**
 * Returns the place of a server requested in `dir`, and creates it if missing. Removing `dir` resets the server,
 * wherever its data was. `temporary` prefers the system's temporary folder.
 */
export function findPlace(requested: string, temporary: boolean): Place {
  mkdirSync(requested, { recursive: true })
  const dir = realpathSync(resolve(requested))
  const home = homeFor(dir, temporary)
  const data = join(home, 'data')
  const account = accountFor(data)
  if (home !== dir || containsOnlyServerFiles(dir)) changeOwner(home, account)
  return { dir, home, data, log: join(home, 'postgres.log'), account }
}

/** Removes all files of a stopped server. */
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
  if (isReachableByOthers(dir) && containsOnlyServerFiles(dir)) return dir
  const home = createReachableFolder(temporary)
  writeFileSync(note, `${home}\n`)
  return home
}

/** Returns true if the folder can be given to PostgreSQL's account, because it contains only a server's files. */
function containsOnlyServerFiles(dir: string): boolean {
  return readdirSync(dir).every((name) =>
    /^(data|data\.partial|password|postgres\.log|lock.*|native-.*|location)$/.test(name),
  )
}

function createReachableFolder(temporary: boolean): string {
  const bases = ['/var/lib/pigeonhole', '/var/tmp', tmpdir()]
  for (const base of temporary ? bases.reverse() : bases) {
    try {
      mkdirSync(base, { recursive: true, mode: 0o711 })
      const home = mkdtempSync(join(base, 'pigeonhole-postgres-'))
      if (isReachableByOthers(home)) return home
      rmSync(home, { recursive: true })
    } catch {
      // The folder is read-only or missing: try the next.
    }
  }
  throw new Error('No folder found for PostgreSQL. As root, it needs one that other users can enter.')
}
