// A database fails over: its server shuts down between two messages, or becomes read-only.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createDatabaseState } from '../../../src/server/adapters/postgres/database-state.ts'
import { createDb, type Db } from '../../../src/server/adapters/postgres/db.ts'
import { readMigrations } from '../../../src/server/adapters/postgres/migrations.ts'
import { waitForDatabase } from '../../../src/server/adapters/postgres/wait-for-database.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { until } from '../../support/until.ts'

const NEEDED = readMigrations(new URL('../../../prisma/migrations', import.meta.url).pathname).map(
  ({ name }) => name,
)

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

/** Applies to all later connections to the database. */
async function setReadOnly(on: boolean): Promise<void> {
  const admin = new pg.Client({ connectionString: database.url })
  await admin.connect()
  const name = new URL(database.url).pathname.slice(1)
  await admin.query('SET default_transaction_read_only = off')
  await admin.query(`ALTER DATABASE ${name} SET default_transaction_read_only = ${on ? 'on' : 'off'}`)
  await admin.end()
}

describe('a fast shutdown between two messages', () => {
  let server: Server
  let armed = false
  let db: Db

  beforeEach(async () => {
    const to = new URL(database.url)
    server = createServer((inner) => {
      const outer = connect({ port: Number(to.port), host: to.hostname })
      for (const socket of [inner, outer]) socket.on('error', () => {})
      inner.pipe(outer)
      inner.on('close', () => outer.destroy())
      outer.on('close', () => inner.destroy())
      outer.on('data', (data: Buffer) => {
        if (!armed || !data.subarray(-6).equals(READY_FOR_QUERY)) {
          inner.write(data)
          return
        }
        armed = false
        void until('a transaction waits for the connection', async () => db.pool.waitingCount > 0).then(() =>
          inner.write(Buffer.concat([data, SHUTTING_DOWN])),
        )
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = new URL(database.url)
    url.port = String((server.address() as AddressInfo).port)
    db = createDb(url.href, 1)
  })
  afterEach(async () => {
    await db.close()
    server.close()
  })

  test('does not end the process: the transaction that got the connection fails, and the next one succeeds', async () => {
    const listening = process.listeners('uncaughtException')
    const uncaught: Error[] = []
    const note = (error: Error) => uncaught.push(error)
    process.removeAllListeners('uncaughtException')
    process.on('uncaughtException', note)
    try {
      await db.$queryRaw`SELECT 1`
      armed = true
      const first = db.pool.query('SELECT 1')
      const transaction = db.$transaction(async (tx) => tx.$queryRaw`SELECT 2`)
      await Promise.allSettled([first, transaction])
      expect(await db.$transaction(async (tx) => tx.$queryRaw`SELECT 3 AS n`)).toEqual([{ n: 3 }])
    } finally {
      process.off('uncaughtException', note)
      for (const listener of listening) process.on('uncaughtException', listener)
    }
    expect(uncaught).toEqual([])
    expect(armed).toBe(false)
  })
})

describe('a server that has become read-only', () => {
  afterEach(() => setReadOnly(false))

  test('is abandoned after the first rejected transaction: the next one gets a new connection', async () => {
    await setReadOnly(true)
    const db = createDb(database.url, 1)
    try {
      const write = () =>
        db.$transaction(async (tx) => tx.$executeRaw`DELETE FROM rate_limits WHERE key = 'none'`)
      await expect(write()).rejects.toThrow(/read-only transaction/)
      await setReadOnly(false)
      expect(await write()).toBe(0)
    } finally {
      await db.close()
    }
  })

  test('makes the service not ready, and startup waits until it accepts writes', async () => {
    await setReadOnly(true)
    const db = createDb(database.url, 1)
    try {
      const state = createDatabaseState({ pool: db.pool, needed: NEEDED, clock: { now: () => new Date() } })
      expect(await state.fault()).toMatch(/^the database is read-only/)
      const lines: string[] = []
      const log = { warn: (_: object, line: string) => lines.push(line), info: () => {} }
      const started = waitForDatabase(state.schemaFault, log)
      await until('startup waits', async () => lines.length > 0)
      expect(lines[0]).toMatch(/^waiting: the database is read-only/)
      await setReadOnly(false)
      await db.pool.query('SET default_transaction_read_only = off')
      await started
    } finally {
      await db.close()
    }
  })
})

describe('a replica that cannot use the database is not ready', () => {
  test.each([
    ['10 minutes behind', -600_000, /^this replica's clock is \d{3} s behind the database's/],
    ['61 s ahead', 61_000, /^this replica's clock is \d+ s ahead of the database's/],
    ['59 s behind', -59_000, null],
  ])('with a clock that is %s', async (_, skewMs, fault) => {
    const clock = { now: () => new Date(Date.now() + skewMs) }
    const found = await faultWith(clock)
    if (fault === null) expect(found).toBeNull()
    else expect(found).toMatch(fault)
  })

  test('but not because the database responds slowly', async () => {
    let readings = 0
    const clock = { now: () => new Date(Date.now() + 300_000 * readings++) }
    expect(await faultWith(clock)).toBeNull()
    expect(readings).toBe(2)
  })

  async function faultWith(clock: { now(): Date }): Promise<string | null> {
    const db = createDb(database.url, 1)
    try {
      return await createDatabaseState({ pool: db.pool, needed: NEEDED, clock }).fault()
    } finally {
      await db.close()
    }
  }

  test('while a migration that this release needs is pending, until it has been applied', async () => {
    const db = createDb(database.url, 1)
    try {
      const clock = { now: () => new Date() }
      const newer = createDatabaseState({ pool: db.pool, needed: [...NEEDED, '9_newer'], clock })
      expect(await newer.fault()).toBe('migration 9_newer is pending; run: npm run db:migrate')
      expect(await createDatabaseState({ pool: db.pool, needed: NEEDED, clock }).fault()).toBeNull()
    } finally {
      await db.close()
    }
  })
})

/** ReadyForQuery, idle. PostgreSQL's documentation, 54.7. */
const READY_FOR_QUERY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49])

/** ErrorResponse of a server that shuts down (`pg_ctl stop -m fast`). */
const SHUTTING_DOWN = (() => {
  const fields = Buffer.from(
    'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to administrator command\0\0',
  )
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
})()
