// A temp folder and one PostgreSQL per vitest run, with a migrated database that createTestDatabase() clones. It listens
// on a free port, so runs go side by side; both go with the run.

import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PostgresServer, startPostgres } from '@pigeonhole/emulators/postgres'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { applyMigrations } from '../../../src/server/data/postgres/migrations.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's URL of the run's server, database `postgres`. */
    postgresAdminUrl: string
    /** A folder that goes with the run: workers are killed at the end, and clean up nothing. */
    runFolder: string
  }
}

/** Migrated and closed to connections: CREATE DATABASE refuses to clone what somebody is connected to. */
export const TEMPLATE = 'pigeonhole_template'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = mkdtempSync(join(tmpdir(), 'pigeonhole-run-'))
  // PostgreSQL, which never runs as root, has its files in there too.
  chmodSync(runFolder, 0o711)
  project.provide('runFolder', runFolder)
  // Of the workers and all that they start: browsers leave folders behind, and so do processes that tests kill.
  process.env.TMPDIR = runFolder
  const server = await startDatabase(runFolder)
  try {
    await applyMigrations({ databaseUrl: await server.createDatabase(TEMPLATE), directory: MIGRATIONS })
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    // Which databases it would look at, and when, is chance; none lives long.
    await admin.query('ALTER SYSTEM SET autovacuum = off')
    await admin.query('SELECT pg_reload_conf()')
    // 4,096, the default, would take 1 ms of a core for each connection.
    await admin.query('SET scram_iterations = 1')
    await admin.query(`ALTER ROLE postgres PASSWORD '${new URL(server.url()).password}'`)
    await admin.query(`ALTER DATABASE ${TEMPLATE} WITH is_template true allow_connections false`)
    await admin.end()
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('postgresAdminUrl', server.url())
  return async () => {
    await server.stop()
    // Browsers that are ending still write for a moment. rmSync() leaves the folder then, without an error.
    await rm(runFolder, { recursive: true, force: true, maxRetries: 10 })
  }
}

const GIB = 2 ** 30

/** In memory where there is room: disks' file systems take 0.1 to 0.3 s of a core for the 300 files of a new database. */
async function startDatabase(runFolder: string): Promise<PostgresServer> {
  const options = { fast: true, temporary: true, maxConnections: 300 }
  if (freeInMemory() > 4 * GIB) {
    try {
      return await startPostgres({ ...options, dir: mkdtempSync(join(MEMORY, 'pigeonhole-run-')) })
    } catch (error) {
      process.stderr.write(
        `the tests' PostgreSQL is on disk, since it does not start in ${MEMORY}: ${error}\n`,
      )
    }
  }
  return startPostgres({ ...options, dir: mkdtempSync(join(runFolder, 'postgres-')) })
}

const MEMORY = '/dev/shm'

/** Bytes that files may take in memory, with twice as much left for programs. */
function freeInMemory(): number {
  if (!existsSync(MEMORY)) return 0
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem() / 3)
}
