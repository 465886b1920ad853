// A database of its own for a test file: migrated, without rows, and no one else's. A new one is cloned from the
// template, 350 files that cost 0.1 to 0.3 s of a core; one that is given back is emptied (5 ms) and lent again.

import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { inject } from 'vitest'
import { empty, schemaState } from './empty-database.ts'
import { TEMPLATE } from './run/global-setup.ts'
import { endTestPool, TEST_POOL, testPool } from './test-pool.ts'

export type TestDatabase = {
  url: string
  /** Gives the database back. Throws if a connection was left open, and says whose and its last query. */
  drop(): Promise<void>
}

export type TestDatabaseOptions = {
  /** Without the template: no tables, for tests of the migrations themselves. */
  empty?: boolean
}

/** `state`: of its schema when it was cloned. Undefined: never lent again. */
type Database = { name: string; url: string; state?: string }

/** Of this process, empty. */
const free: Database[] = []

/** For `beforeAll`; call `drop()` in `afterAll`, when everything that uses the database is closed. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const database = (options.empty ? undefined : free.pop()) ?? (await makeDatabase(options))
  let given = false
  return {
    url: database.url,
    drop: async () => {
      if (given) throw new Error('this database was given back before')
      given = true
      await giveBack(database)
    },
  }
}

async function makeDatabase(options: TestDatabaseOptions): Promise<Database> {
  const name = `test_${randomBytes(6).toString('hex')}`
  const template = options.empty ? 'template0' : TEMPLATE
  // Copies the files, for a tenth of the CPU of the default, which writes each page to the log.
  await admin().query(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`)
  const { href: url } = Object.assign(new URL(inject('postgresAdminUrl')), { pathname: `/${name}` })
  return options.empty ? { name, url } : { name, url, state: await schemaState(testPool(url)) }
}

async function giveBack(database: Database): Promise<void> {
  const { name, url, state } = database
  const left = await leftOpen(name)
  const isEmpty = left.length === 0 && state !== undefined && (await empty(testPool(url), state))
  if (isEmpty) {
    free.push(database)
    return
  }
  await endTestPool(url)
  await admin().query(`DROP DATABASE ${name} WITH (FORCE)`)
  if (left.length > 0) throw new Error(`connections left open at the end of the test:\n${left.join('\n')}`)
}

/** A closed connection's server process needs a moment to go. */
const LEAK_GRACE_MS = 1_000

async function leftOpen(name: string): Promise<string[]> {
  const deadline = performance.now() + LEAK_GRACE_MS
  let left = await openConnections(name)
  while (left.length > 0 && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 20))
    left = await openConnections(name)
  }
  return left
}

/** Those of this process's test pool apart. */
async function openConnections(name: string): Promise<string[]> {
  const { rows } = await admin().query<{ app: string; state: string; query: string }>(
    `SELECT application_name AS app, coalesce(state, '') AS state, left(query, 200) AS query
     FROM pg_stat_activity WHERE datname = $1 AND application_name <> $2 AND backend_type = 'client backend'`,
    [name, TEST_POOL],
  )
  return rows.map(
    ({ app, state, query }) => `- ${app || '(no application_name)'}, ${state}, last query: ${query}`,
  )
}

function admin(): pg.Pool {
  return testPool(inject('postgresAdminUrl'))
}
