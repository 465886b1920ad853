import { once } from 'node:events'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { applyMigrations, readMigrations } from '../../../src/server/adapters/postgres/migrations.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database.ts'
import { commandHere } from '../../support/process/command-here.ts'
import { migrationsFolder, runMigrateCommand, spawnMigration } from '../../support/process/migrate.ts'
import { until } from '../../support/until.ts'
import { waitingLocks } from '../../support/waiting-locks.ts'

describe('applying migrations', () => {
  let database: TestDatabase
  let client: pg.Client
  let folder: ReturnType<typeof migrationsFolder>

  beforeEach(async () => {
    database = await createTestDatabase({ empty: true })
    client = new pg.Client({ connectionString: database.url, application_name: 'test' })
    await client.connect()
    folder = migrationsFolder({ '1_first': 'CREATE TABLE a (id int); CREATE TABLE b (id int);' })
  })
  afterEach(async () => {
    folder.remove()
    await client.end()
    await database.drop()
  })

  const apply = (options = {}) =>
    applyMigrations({ databaseUrl: database.url, directory: folder.path, ...options })
  const tables = async () => {
    const sql = `SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> '_prisma_migrations' ORDER BY 1`
    return (await client.query<{ tablename: string }>(sql)).rows.map((row) => row.tablename)
  }

  test('applies each pending migration once, in the order of names', async () => {
    folder.write('2_second', 'ALTER TABLE a ADD COLUMN more text')
    expect(await apply()).toEqual({ applied: ['1_first', '2_second'], unknown: [] })
    expect(await apply()).toEqual({ applied: [], unknown: [] })
    folder.write('3_third', 'DROP TABLE b')
    expect(await apply()).toEqual({ applied: ['3_third'], unknown: [] })
    expect(await tables()).toEqual(['a'])
  })

  test('runs statements that contain semicolons as a whole', async () => {
    folder.write(
      '2_function',
      `CREATE FUNCTION f() RETURNS text LANGUAGE plpgsql AS $$ BEGIN RETURN ';'; END $$;`,
    )
    await apply()
    expect((await client.query('SELECT f()')).rows).toEqual([{ f: ';' }])
  })

  test('lets four replicas start at once: one applies them, all succeed, and each reports that ?schema= is ignored', async () => {
    const all = readMigrations(new URL('../../../prisma/migrations', import.meta.url).pathname).map(
      ({ name }) => name,
    )
    const results = await Promise.all(
      Array.from({ length: 4 }, () => runMigrateCommand({ DATABASE_URL: `${database.url}?schema=alt` })),
    )
    expect(results.map(({ code, stderr }) => ({ code, stderr }))).toEqual(
      Array(4).fill({ code: 0, stderr: expect.stringMatching(/^DATABASE_URL has \?schema=.*\n$/) }),
    )
    const applied = results.flatMap(({ stdout }) =>
      [...stdout.matchAll(/^applied (.*)$/gm)].map((match) => match[1]),
    )
    expect(applied.sort()).toEqual(all)
    const { rows } = await client.query('SELECT migration_name AS name FROM _prisma_migrations ORDER BY 1')
    expect(rows.map(({ name }) => name)).toEqual(all)
    expect(await tables()).toContain('users')
  })

  test('leaves no trace of a migration whose process is killed, and applies it on the next run', async () => {
    folder.write('2_long', 'CREATE TABLE c (id int); SELECT pg_sleep(60); CREATE TABLE d (id int);')
    const child = spawnMigration(database.url, folder.path)
    await until('the migration runs', async () => {
      const { rowCount } = await client.query(
        `SELECT FROM pg_stat_activity WHERE application_name = 'pigeonhole-migrate' AND wait_event = 'PgSleep' AND datname = current_database()`,
      )
      return rowCount === 1
    })
    child.kill('SIGKILL')
    await once(child, 'exit')

    folder.write('2_long', 'CREATE TABLE c (id int); CREATE TABLE d (id int);')
    expect(await apply({ waitMs: 10_000 })).toEqual({ applied: ['2_long'], unknown: [] })
    expect(await tables()).toEqual(['a', 'b', 'c', 'd'])
  })

  test('changes nothing if a migration fails, and names it', async () => {
    folder.write('2_faulty', 'CREATE TABLE c (id int); ALTER TABLE nowhere ADD COLUMN x int;')
    await expect(apply()).rejects.toThrow(
      /^migration 2_faulty failed and changed nothing: relation "nowhere" does not exist$/,
    )
    expect(await tables()).toEqual(['a', 'b'])
    folder.write('2_faulty', 'CREATE TABLE c (id int);')
    expect((await apply()).applied).toEqual(['2_faulty'])
  })

  test('repeats a migration that deadlocks with a running replica', async () => {
    await apply()
    // PostgreSQL ends the transaction that first finds the deadlock. The replica looks for none, the migration after 3 s.
    await client.query(
      `ALTER DATABASE "${new URL(database.url).pathname.slice(1)}" SET deadlock_timeout = '3s'`,
    )
    await client.query(`SET deadlock_timeout = '1h'`)
    folder.write('2_second', 'ALTER TABLE a ADD COLUMN more text; ALTER TABLE b ADD COLUMN more text;')
    await client.query('BEGIN')
    await client.query('SELECT FROM b')
    const applying = apply()
    await until(
      'the migration has table a and waits for table b',
      async () => (await waitingLocks(client, 'b')) === 1,
    )
    await client.query('SELECT FROM a')
    await client.query('COMMIT')
    expect(await applying).toEqual({ applied: ['2_second'], unknown: [] })
  })

  test('rejects a migration that was changed after it was applied, before it applies others', async () => {
    await apply()
    folder.write('1_first', 'CREATE TABLE a (id bigint);')
    folder.write('2_second', 'CREATE TABLE c (id int);')
    await expect(apply()).rejects.toThrow(/^migration 1_first was changed after it was applied/)
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('rejects a migration that ends its own transaction', async () => {
    folder.write('2_commits', 'CREATE TABLE c (id int); COMMIT; CREATE TABLE d (id int);')
    await expect(apply()).rejects.toThrow(/^migration 2_commits ends its transaction/)
  })

  test('rejects a migration that Prisma’s tool left unfinished', async () => {
    await apply()
    await client.query('UPDATE _prisma_migrations SET finished_at = NULL')
    await expect(apply()).rejects.toThrow(/^migration 1_first failed when Prisma's own tool applied it/)
  })

  test('ignores a newer release’s migrations', async () => {
    await apply()
    const older = migrationsFolder({})
    expect(await apply({ directory: older.path })).toEqual({ applied: [], unknown: ['1_first'] })
    older.remove()
  })

  test('limits the wait for the lock', async () => {
    await client.query('SELECT pg_advisory_lock(72707369)')
    await expect(apply({ waitMs: 300 })).rejects.toThrow(/^waited 0 s for another migration/)
    await client.query('SELECT pg_advisory_unlock_all()')
  })
})

describe('npm run db:migrate prints one line that names the fault', () => {
  const unreachable = 'postgresql://user:secret@127.0.0.1:1/db'
  test.each<[string, string | undefined, string]>([
    ['no DATABASE_URL', undefined, 'db:migrate: DATABASE_URL is missing'],
    ['an empty one', ' ', 'db:migrate: DATABASE_URL is missing'],
    ['one that is not a URL', 'localhost', 'db:migrate: DATABASE_URL must be a URL like postgresql://'],
    [
      'one of another database',
      'mysql://127.0.0.1/db',
      'db:migrate: DATABASE_URL must be a URL like postgresql://',
    ],
    [
      'one where nothing listens',
      unreachable,
      'db:migrate: DATABASE_URL: the database at 127.0.0.1:1 cannot be reached',
    ],
  ])('%s', async (_, url, line) => {
    const { code, out, err } = await commandHere(
      'migrate',
      [],
      url === undefined ? {} : { DATABASE_URL: url },
    )
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(/^[^\n]+\n$/)
    expect(err).toContain(line)
    expect(err).not.toContain('secret')
  })

  test('a database that does not exist', async () => {
    const database = await createTestDatabase({ empty: true })
    await database.drop()
    const { code, stdout, stderr } = await runMigrateCommand({ DATABASE_URL: database.url })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toMatch(
      /^db:migrate: DATABASE_URL: there is no database "test_\w+" at 127\.0\.0\.1:\d+\n$/,
    )
  })
})
