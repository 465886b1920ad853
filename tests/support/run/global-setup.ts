// Creates a temp folder and one PostgreSQL per vitest run, with a migrated database that createTestDatabase() clones.
// It listens on a free port, so that runs do not disturb each other. Both are deleted after the run.

import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { applyMigrations } from '../../../src/server/adapters/postgres/migrations.ts'
import { startPgBouncer } from '../process/pgbouncer.ts'
import { cleanUpAtTheEnd } from './clean-up.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The superuser's URL of the run's server, for the database `postgres`. */
    postgresAdminUrl: string
    /** The same database through PgBouncer in `npm run test:pgbouncer`, otherwise the same URL. */
    postgresUrl: string
    /**
     * A folder that is deleted after the run, since workers are killed at the end and clean up nothing. In memory if
     * there is room.
     */
    runFolder: string
  }
}

/** The migrated database. Closed to connections, because CREATE DATABASE rejects a template that is in use. */
export const TEMPLATE = 'pigeonhole_template'

const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const runFolder = makeRunFolder()
  // Other users need access: it contains the files of PostgreSQL, which never runs as root.
  chmodSync(runFolder, 0o711)
  project.provide('runFolder', runFolder)
  cleanUpAtTheEnd(runFolder)
  // Set it for the workers and all that they start, because browsers and killed processes leave folders behind.
  process.env.TMPDIR = runFolder
  const server = await startPostgres({
    dir: mkdtempSync(join(runFolder, 'postgres-')),
    fast: true,
    temporary: true,
    maxConnections: 300,
  })
  try {
    await applyMigrations({ databaseUrl: await server.createDatabase(TEMPLATE), directory: MIGRATIONS })
    const admin = new pg.Client({ connectionString: server.url() })
    await admin.connect()
    // Turned off, because it would run at random times, and no database lives long.
    await admin.query('ALTER SYSTEM SET autovacuum = off')
    await admin.query('SELECT pg_reload_conf()')
    // The default, 4,096, takes 1 ms of CPU for each connection.
    await admin.query('SET scram_iterations = 1')
    await admin.query(`ALTER ROLE postgres PASSWORD '${new URL(server.url()).password}'`)
    await admin.query(`ALTER DATABASE ${TEMPLATE} WITH is_template true allow_connections false`)
    await admin.end()
  } catch (error) {
    await server.stop()
    throw error
  }
  project.provide('postgresAdminUrl', server.url())
  const pooler =
    process.env.TEST_PGBOUNCER === '1'
      ? await startPgBouncer(server.url(), join(runFolder, 'pgbouncer'))
      : undefined
  project.provide('postgresUrl', pooler ? pooler.through(server.url()) : server.url())
  return async () => {
    await pooler?.stop()
    await server.stop()
    // Browsers that are ending keep writing for a moment. rmSync() would then leave the folder without an error.
    await rm(runFolder, { recursive: true, force: true, maxRetries: 10 })
  }
}

const GIB = 2 ** 30

/**
 * Creates the run's folder, in memory if there is room. On disk, page tests take 6% more CPU, installing the packed
 * server takes 20 s of CPU instead of 13, and deleting its 60,000 files up to 5 minutes. Containers can forbid programs
 * in memory.
 */
function makeRunFolder(): string {
  if (freeInMemory() > 4 * GIB) {
    const folder = mkdtempSync(join(MEMORY, 'pigeonhole-run-'))
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
    const { status } = spawnSync(program)
    rmSync(program)
    if (status === 0) return folder
    rmSync(folder, { recursive: true })
  }
  return mkdtempSync(join(tmpdir(), 'pigeonhole-run-'))
}

const MEMORY = '/dev/shm'

/** Bytes that files can use in memory while programs keep twice as much. */
function freeInMemory(): number {
  if (!existsSync(MEMORY)) return 0
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem() / 3)
}
