import pg from 'pg'
import { expect, test } from 'vitest'
import { createTestDatabase } from '../../support/database.ts'

test('is migrated, and none of the others', async () => {
  const [one, two] = await Promise.all([createTestDatabase(), createTestDatabase()])
  const client = new pg.Client({ connectionString: one.url })
  await client.connect()
  expect((await client.query("SELECT to_regclass('files')::text AS files")).rows).toEqual([
    { files: 'files' },
  ])
  await client.end()
  expect(one.url).not.toBe(two.url)
  await Promise.all([one.drop(), two.drop()])
})

test('names the connection that a test left open, and is removed all the same', async () => {
  const database = await createTestDatabase()
  const leak = new pg.Client({ connectionString: database.url, application_name: 'forgetful' })
  leak.on('error', () => {})
  await leak.connect()
  await leak.query('SELECT 42')
  await expect(database.drop()).rejects.toThrow(/left open.*\n- forgetful, idle, last query: SELECT 42$/)
  await expect(new pg.Client({ connectionString: database.url }).connect()).rejects.toThrow('does not exist')
})
