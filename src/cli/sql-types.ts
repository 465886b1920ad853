// npm run sql:types: starts a PostgreSQL with the migrations, and writes the types of each statement's values and rows
// (docs/decisions/003-statements-typed-by-postgresql.md).

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import pg from 'pg'
import { applyMigrations } from '../server/adapters/postgres/migrations.ts'
import { ROOT } from './build-if-needed.ts'
import { createDescriber } from './sql-types/describe.ts'
import { findStatements, type Statement } from './sql-types/find-statements.ts'
import { createRenderer } from './sql-types/render.ts'

const FOLDER = 'src/server/adapters/postgres'
export const TARGET = join(ROOT, FOLDER, 'statements.generated.ts')

/** Returns all statements of the service, in the order of their places. */
export const allStatements = (): Statement[] => findStatements(ROOT, ['src/server', 'src/cli'])

/**
 * Returns the text of the generated file for this migrated database.
 * @throws Error with a line for each statement that PostgreSQL rejects, or whose name is missing or duplicate
 */
export async function statementTypes(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const describer = await createDescriber(client)
    const { entry, file } = createRenderer(describer, columnTypes())
    const entries: string[] = []
    const faults: string[] = []
    const names = new Set<string>()
    for (const statement of allStatements()) {
      const { name, place, text, values } = statement
      try {
        if (name === undefined)
          throw new Error("the statement has no name. Write rows<'name'> or run<'name'>")
        if (names.has(name)) throw new Error('another statement has this name. Choose a different one')
        names.add(name)
        entries.push(entry({ ...statement, name }, await describer.describe(text, values)))
      } catch (error) {
        faults.push(`${place} ${name ?? ''}: ${(error as Error).message}`)
      }
    }
    if (faults.length > 0) throw new Error(`These statements cannot be typed:\n${faults.join('\n')}`)
    return file(entries)
  } finally {
    await client.end()
  }
}

/** Returns the columns that `ColumnTypes` describes. */
function columnTypes(): Set<string> {
  const source = readFileSync(join(ROOT, FOLDER, 'column-types.ts'), 'utf8')
  return new Set([...source.matchAll(/^ {2}'(\w+\.\w+)':/gm)].map(([, column]) => column!))
}

async function main(): Promise<number> {
  const dir = mkdtempSync(join(tmpdir(), 'pigeonhole-sql-types-'))
  const server = await startPostgres({ dir, fast: true, temporary: true })
  try {
    const databaseUrl = await server.createDatabase('statements')
    await applyMigrations({ databaseUrl, directory: join(ROOT, 'prisma/migrations') })
    writeFileSync(TARGET, await statementTypes(databaseUrl))
    return 0
  } catch (error) {
    console.error((error as Error).message)
    return 1
  } finally {
    await server.stop()
  }
}

if (import.meta.main) process.exitCode = await main()
