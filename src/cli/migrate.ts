// npm run db:migrate: applies pending migrations to DATABASE_URL. Safe from many replicas at once.

import { fileURLToPath } from 'node:url'
import { ConfigError, loadDatabaseUrl } from '../server/config.ts'
import { MigrationError } from '../server/data/postgres/migration-error.ts'
import { applyMigrations } from '../server/data/postgres/migrations.ts'

const directory = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))

try {
  const { applied, unknown } = await applyMigrations({
    databaseUrl: loadDatabaseUrl(),
    directory,
    onApplied: (name) => console.log(`applied ${name}`),
  })
  if (applied.length === 0) console.log('database is up to date')
  if (unknown.length > 0) console.log(`database is ahead of this release: ${unknown.join(', ')}`)
} catch (error) {
  if (error instanceof ConfigError) console.error(`db:migrate: ${error.faults.join('\n')}`)
  else if (error instanceof MigrationError) console.error(`db:migrate: ${error.message}`)
  else throw error
  process.exitCode = 1
}
