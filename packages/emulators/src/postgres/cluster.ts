// A cluster's files: made once by initdb, and the password that goes with them.

import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { give } from './account.ts'
import type { Binaries } from './binaries.ts'
import { ENVIRONMENT } from './environment.ts'
import type { Place } from './home.ts'

/**
 * Makes the cluster if it isn't there (0.5 s) and returns the superuser's password, which lies beside
 * the data with mode 0600. Half-made clusters of a killed run are made again.
 */
export function prepareCluster(place: Place, binaries: Binaries): string {
  const passwordFile = join(place.home, 'password')
  if (existsSync(join(place.data, 'PG_VERSION'))) {
    checkVersion(place, binaries)
    if (!existsSync(passwordFile)) {
      throw new Error(`${passwordFile} is missing; remove ${place.dir} to start afresh`)
    }
    return readFileSync(passwordFile, 'utf8').trim()
  }
  const password = randomBytes(18).toString('base64url')
  rmSync(passwordFile, { force: true })
  writeFileSync(passwordFile, `${password}\n`, { mode: 0o600 })
  give(passwordFile, place.account)
  initialise(place, binaries, passwordFile)
  return password
}

/**
 * initdb, whose result is the same on every machine: UTF-8, sorted by code point, scram passwords.
 * It works in a folder beside, so that a data folder which exists is complete.
 */
function initialise(place: Place, binaries: Binaries, passwordFile: string): void {
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
  const made = readFileSync(join(place.data, 'PG_VERSION'), 'utf8').trim()
  const installed = binaries.version.split('.')[0]
  if (made !== installed) {
    throw new Error(
      `${place.data} was made by PostgreSQL ${made}, installed is ${installed}; remove ${place.dir} to start afresh`,
    )
  }
}
