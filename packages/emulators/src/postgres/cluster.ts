// A cluster's files, created once by initdb, and their password.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { changeOwner } from './account.ts'
import type { Binaries } from './binaries.ts'
import { ENVIRONMENT } from './environment.ts'
import type { Place } from './home.ts'

/**
 * Creates the cluster if missing (0.5 s), and returns the superuser's password. The password is stored next to the data
 * with mode 0600. Recreates a cluster that a killed run left incomplete.
 */
export function prepareCluster(place: Place, binaries: Binaries): string {
  const passwordFile = join(place.home, 'password')
  if (existsSync(join(place.data, 'PG_VERSION'))) {
    checkVersion(place, binaries)
    if (!existsSync(passwordFile)) {
      throw new Error(`${passwordFile} is missing. Remove ${place.dir} to start over.`)
    }
    return readFileSync(passwordFile, 'utf8').trim()
  }
  const password = randomBytes(18).toString('base64url')
  rmSync(passwordFile, { force: true })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  changeOwner(passwordFile, place.account)
  initialize(place, binaries, passwordFile)
  return password
}

/**
 * Runs initdb. The result is the same on every machine: UTF-8, sorted by code point, SCRAM passwords. initdb writes to
 * a separate folder, so that an existing data folder is always complete.
 */
function initialize(place: Place, binaries: Binaries, passwordFile: string): void {
  const partial = join(place.home, 'data.partial')
  rmSync(partial, { recursive: true, force: true })
  const flags = [
    ...['-D', partial, '-U', 'postgres', '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8'],
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--no-sync', '--no-instructions'],
  ]
  const run = spawnSync(binaries.initdb, flags, {
    ...place.account,
    cwd: place.home,
    env: ENVIRONMENT,
    encoding: 'utf8',
  })
  if (run.status !== 0) {
    rmSync(partial, { recursive: true, force: true })
    throw new Error(`initdb failed: ${(run.error?.message ?? run.stderr).trim()}`)
  }
  rmSync(place.data, { recursive: true, force: true })
  renameSync(partial, place.data)
}

function checkVersion(place: Place, binaries: Binaries): void {
  const created = readFileSync(join(place.data, 'PG_VERSION'), 'utf8').trim()
  const installed = binaries.version.split('.')[0]
  if (created !== installed) {
    throw new Error(
      `${place.data} was created by PostgreSQL ${created}, but ${installed} is installed. Remove ${place.dir} to start over.`,
    )
  }
}
