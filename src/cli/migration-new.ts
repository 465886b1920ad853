// npm run db:migration:new -- NAME: writes the next migration, which is the difference between the migrations and
// schema.prisma. Starts a temporary PostgreSQL and uses no other database.

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '@pigeonhole/emulators/postgres'
import { applyMigrations, readMigrations } from '../server/adapters/postgres/migrations.ts'
import { ROOT } from './build-if-needed.ts'
import { runCommand, UsageError } from './command.ts'
import { MIGRATIONS } from './migrations-folder.ts'
import { differenceToSchema } from './schema-engine.ts'

const USAGE = `usage: npm run db:migration:new -- NAME

Writes the next migration, which is the difference between the migrations and prisma/schema.prisma.

  NAME  lowercase letters, digits and _`

async function main(argv: string[]): Promise<void> {
  const [name = '', ...others] = parseArgs({ args: argv, options: {}, allowPositionals: true }).positionals
  if (!/^[a-z0-9_]+$/.test(name) || others.length > 0)
    throw new UsageError('Give one name of lowercase letters, digits and _.')
  const server = await startPostgres({
    dir: mkdtempSync(join(tmpdir(), 'pigeonhole-migration-')),
    fast: true,
    temporary: true,
  })
  try {
    const databaseUrl = await server.createDatabase('migrations')
    await applyMigrations({ databaseUrl, directory: MIGRATIONS })
    const script = await differenceToSchema(databaseUrl)
    if (script === '') {
      console.log('the migrations already match schema.prisma: nothing to write')
      return
    }
    const folder = join(MIGRATIONS, `${nextStamp()}_${name}`)
    mkdirSync(folder)
    writeFileSync(join(folder, 'migration.sql'), script)
    console.log(
      `wrote ${relative(ROOT, folder)}/migration.sql. Review it, and add what Prisma cannot express.`,
    )
  } finally {
    await server.stop()
  }
}

/** Returns YYYYMMDDHHMMSS, always later than the last migration's: migrations are applied in the order of their names. */
function nextStamp(): string {
  const now = new Date().toISOString().replace(/\D/g, '').slice(0, 14)
  const last = readMigrations(MIGRATIONS).at(-1)?.name.slice(0, 14) ?? ''
  return now > last ? now : String(Number(last) + 1)
}

await runCommand({ name: 'db:migration:new', usage: USAGE, main })
