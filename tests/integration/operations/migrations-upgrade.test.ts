// Databases of every landed version can be migrated to this one.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { expect, test } from 'vitest'
import { applyMigrations, readMigrations } from '../../../src/server/adapters/postgres/migrations.ts'
import { createTestDatabase } from '../../support/database.ts'
import landed from '../../support/landed-migrations.json' with { type: 'json' }
import { migrationsFolder } from '../../support/process/migrate.ts'

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
