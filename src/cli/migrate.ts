// npm run db:migrate: applies pending migrations to DATABASE_URL. Safe from many replicas at once.

import { fileURLToPath } from 'node:url'
import { schemaWarnings } from '../server/config.ts'
import { applyMigrations, MigrationError } from '../server/data/migrate.ts'

const directory = fileURLToPath(new URL('../../prisma/migrations', import.meta.url))
const databaseUrl = process.env.DATABASE_URL?.trim()

try {
  if (!databaseUrl) throw new MigrationError('DATABASE_URL is not set')
  for (const warning of schemaWarnings(databaseUrl)) console.error(`db:migrate: ${warning}`)
  const { applied, unknown } = await applyMigrations({
    databaseUrl,
    directory,
    onApplied: (name) => console.log(`applied ${name}`),
  })
  if (applied.length === 0) console.log('database is up to date')
  if (unknown.length > 0) console.log(`database is ahead of this release: ${unknown.join(', ')}`)
} catch (error) {
  if (!(error instanceof MigrationError)) throw error
  console.error(`db:migrate: ${error.message}`)
  process.exitCode = 1
}
