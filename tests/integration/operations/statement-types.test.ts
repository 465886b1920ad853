import { readFileSync } from 'node:fs'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createDescriber, type Describer } from '../../../src/cli/sql-types/describe.ts'
import { statementTypes, TARGET } from '../../../src/cli/sql-types.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

test('the types of all statements match the migrated database (otherwise: npm run sql:types)', async () => {
  expect(await statementTypes(database.url)).toBe(readFileSync(TARGET, 'utf8'))
})

test('after a column is renamed, the check names each statement that uses it, with its location', async () => {
  const renamed = await createTestDatabase()
  const client = new pg.Client({ connectionString: renamed.url })
  await client.connect()
  try {
    await client.query('ALTER TABLE devices RENAME COLUMN web_auth TO web_secret')
    const fault = await statementTypes(renamed.url).then(
      () => 'none',
      (error: Error) => error.message,
    )
    const places = [...fault.matchAll(/^src\/server\/(\S+):\d+ (\w+): column .*web_auth.* does not exist$/gm)]
    expect(places.map(([, , name]) => name).sort()).toEqual([
      'findRecipients',
      'readRange',
      'readRetry',
      'registerDevice',
    ])
    expect(places[0]![1]).toMatch(/^adapters\/postgres\/push\/.*\.ts$/)
  } finally {
    await client.query('ALTER TABLE devices RENAME COLUMN web_secret TO web_auth')
    await client.end()
    await renamed.drop()
  }
})

describe('types that PostgreSQL reports for a statement', () => {
  let client: pg.Client
  let describer: Describer
  beforeAll(async () => {
    client = new pg.Client({ connectionString: database.url })
    await client.connect()
    describer = await createDescriber(client)
    return () => client.end()
  })

  /** Returns `id: uuid, name: text?`, where `?` means that null is possible. */
  const rowOf = async (text: string) =>
    (await describer.describe(text, [])).columns
      .map(({ name, type, nullable }) => `${name}: ${type}${nullable ? '?' : ''}`)
      .join(', ')
  const paramsOf = async (text: string, values: string[] = []) =>
    (await describer.describe(text, values)).params.map(({ type, nullable }) => type + (nullable ? '?' : ''))

  test.each([
    ['SELECT id, name FROM users', 'id: uuid, name: text?'],
    ['SELECT d.id FROM users u LEFT JOIN devices d ON d.user_id = u.id', 'id: uuid?'],
    ['SELECT d.id FROM users u LEFT JOIN devices d ON d.user_id = u.id WHERE d.id IS NOT NULL', 'id: uuid'],
    ['SELECT name FROM users WHERE name IS NOT NULL OR true', 'name: text?'],
    ["SELECT coalesce(name, 'x') AS a, coalesce(name, email) AS b FROM users", 'a: text, b: text?'],
    ['SELECT count(*) AS n, sum(used_bytes)::bigint AS sum FROM users', 'n: bigint, sum: bigint?'],
    [
      'SELECT role, max(created_at) AS last FROM users GROUP BY role',
      'role: user_role, last: timestamp with time zone',
    ],
    ["SELECT email IS NULL AS a, email = 'x' AS b FROM users", 'a: boolean, b: boolean?'],
    [
      "SELECT content -> 'title' AS title, now() FROM push_messages",
      'title: jsonb?, now: timestamp with time zone',
    ],
    [
      "SELECT CASE WHEN name = 'a' THEN id END AS a, CASE WHEN name = 'a' THEN 1 ELSE 2 END AS b FROM users",
      'a: uuid?, b: integer',
    ],
    [
      'SELECT (SELECT count(*) FROM devices) AS a, (SELECT id FROM devices LIMIT 1) AS b, EXISTS (SELECT 1) AS c',
      'a: bigint, b: uuid?, c: boolean',
    ],
    ['SELECT n, x FROM unnest(ARRAY[1]) WITH ORDINALITY AS t (x, n)', 'n: bigint, x: integer?'],
    ['SELECT id FROM users UNION ALL SELECT user_id FROM files', 'id: uuid'],
    ['SELECT id FROM users UNION ALL SELECT lease_id FROM files', 'id: uuid?'],
    ['WITH gone AS (DELETE FROM devices RETURNING id, locale) SELECT * FROM gone', 'id: uuid, locale: text?'],
    [
      'UPDATE files SET state = state FROM users WHERE users.id = user_id RETURNING files.key, users.email',
      'key: text, email: text?',
    ],
  ])('%s', async (text, row) => {
    expect(await rowOf(text)).toBe(row)
  })

  test.each([
    ['UPDATE users SET name = $1, used_bytes = $2 WHERE id = $3', ['text?', 'bigint', 'uuid']],
    [
      'INSERT INTO file_parts (file_id, part_number, etag) SELECT f.id, $1, $2 FROM files f',
      ['integer', 'text'],
    ],
    [
      'INSERT INTO users (id, name) VALUES ($1, $2) ON CONFLICT (id) DO UPDATE SET used_bytes = $3::bigint',
      ['uuid', 'text?', 'bigint'],
    ],
    [
      "UPDATE users SET used_bytes = used_bytes + $1::int, deleted_at = now() + $2 * interval '1 s'",
      ['integer', 'double precision?'],
    ],
    [
      'DELETE FROM devices d USING unnest($1::uuid[]) AS g (id) WHERE d.id = g.id AND d.platform = ANY ($2)',
      ['uuid[]', 'platform[]'],
    ],
  ])('accepts null only where null has a meaning: %s', async (text, params) => {
    expect(await paramsOf(text)).toEqual(params)
  })

  test('a value that is tested for null can be null everywhere else too', async () => {
    const text = 'SELECT id FROM users WHERE $1::uuid IS NULL OR id = $2::uuid OR id = $3::uuid'
    expect(await paramsOf(text, ['after', 'after', 'other'])).toEqual(['uuid?', 'uuid?', 'uuid'])
  })

  test('a column is traced through subqueries, and through a union only if both sides read it', async () => {
    const originOf = async (text: string) => (await describer.describe(text, [])).columns[0]!.origin
    const content = 'SELECT content FROM push_messages'
    expect(await originOf(`SELECT content FROM (${content}) a`)).toBe('push_messages.content')
    expect(await originOf(`WITH a AS (${content}) SELECT content FROM a`)).toBe('push_messages.content')
    expect(await originOf(`${content} UNION ALL ${content}`)).toBe('push_messages.content')
    expect(await originOf(`${content} UNION ALL SELECT data FROM webhook_deliveries`)).toBeUndefined()
    expect(await originOf("SELECT content - 'title' FROM push_messages")).toBeUndefined()
  })
})
