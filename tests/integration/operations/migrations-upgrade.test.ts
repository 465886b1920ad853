// Databases of every landed version can be migrated to this one.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { applyMigrations, readMigrations } from '../../../src/server/adapters/postgres/migrations.ts'
import { createTestDatabase } from '../../support/database.ts'
import { startFirstRelease } from '../../support/first-release.ts'
import landed from '../../support/landed-migrations.json' with { type: 'json' }
import { migrationsFolder } from '../../support/process/migrate.ts'
import { until } from '../../support/until.ts'

const DIRECTORY = new URL('../../../prisma/migrations', import.meta.url).pathname
const current = readMigrations(DIRECTORY)

test('no landed migration was changed: databases that applied it would reject the update', () => {
  const { migrations } = landed.at(-1)!
  const changed = Object.entries(migrations).filter(
    ([name, checksum]) => current.find((migration) => migration.name === name)?.checksum !== checksum,
  )
  expect(changed, 'restore these files, and write a new migration for the change').toEqual([])
})

test('new migrations come after the landed ones', () => {
  const names = Object.keys(landed.at(-1)!.migrations)
  expect(current.slice(0, names.length).map(({ name }) => name)).toEqual(names)
})

test.each(landed)(
  'a database of $commit can be migrated to this version, and keeps its rows',
  async ({ migrations }) => {
    const database = await createTestDatabase({ empty: true })
    const script = (name: string) => readFileSync(join(DIRECTORY, name, 'migration.sql'), 'utf8')
    const old = migrationsFolder(
      Object.fromEntries(Object.keys(migrations).map((name) => [name, script(name)])),
    )
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    try {
      await applyMigrations({ databaseUrl: database.url, directory: old.path })
      for (const [name, checksum] of Object.entries(migrations))
        await client.query('UPDATE _prisma_migrations SET checksum = $2 WHERE migration_name = $1', [
          name,
          checksum,
        ])
      await client.query(
        "INSERT INTO users (id, email) VALUES ('00000000-0000-7000-8000-000000000001', 'kept@example.com')",
      )
      const { applied, unknown } = await applyMigrations({ databaseUrl: database.url, directory: DIRECTORY })
      expect([...Object.keys(migrations), ...applied]).toEqual(current.map(({ name }) => name))
      expect(unknown).toEqual([])
      expect((await client.query('SELECT email FROM users')).rows).toEqual([{ email: 'kept@example.com' }])
    } finally {
      await client.end()
      old.remove()
      await database.drop()
    }
  },
)

test('a database of the first release is migrated while its replica writes, which also runs after a rollback', async () => {
  const { migrations } = landed[0]!
  const database = await createTestDatabase({ empty: true })
  const script = (name: string) => readFileSync(join(DIRECTORY, name, 'migration.sql'), 'utf8')
  const old = migrationsFolder(
    Object.fromEntries(Object.keys(migrations).map((name) => [name, script(name)])),
  )
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  try {
    await applyMigrations({ databaseUrl: database.url, directory: old.path })
    const userId = '00000000-0000-7000-8000-000000000001'
    await client.query("INSERT INTO users (id, email) VALUES ($1, 'kept@example.com')", [userId])
    const replica = startFirstRelease(database.url, userId)
    await until('the replica writes', () => replica.written.rounds >= 3)
    const { applied } = await applyMigrations({ databaseUrl: database.url, directory: DIRECTORY })
    expect(applied).toEqual(current.slice(Object.keys(migrations).length).map(({ name }) => name))
    const { rounds } = replica.written
    await until('the replica writes to the new tables', () => replica.written.rounds >= rounds + 3)
    await replica.stop()

    // The rollback that operations.md describes: the older release finds a newer database, and runs.
    const rolledBack = await applyMigrations({ databaseUrl: database.url, directory: old.path })
    expect(rolledBack).toEqual({ applied: [], unknown: applied })
    const after = startFirstRelease(database.url, userId)
    await until('the older release writes again', () => after.written.rounds >= 3)
    await after.stop()

    const count = (name: 'bytes' | 'devices' | 'messages') => replica.written[name] + after.written[name]
    const { rows } = await client.query(
      `SELECT (SELECT count(*)::int FROM devices) AS devices, (SELECT count(*)::int FROM push_messages) AS messages,
         (SELECT sum(reserved_bytes)::int FROM files) AS "fileBytes",
         (SELECT reserved_bytes::int FROM users) AS "reservedBytes"`,
    )
    expect(rows[0]).toEqual({
      devices: count('devices'),
      messages: count('messages'),
      fileBytes: count('bytes'),
      reservedBytes: count('bytes'),
    })
  } finally {
    await client.end()
    old.remove()
    await database.drop()
  }
})
