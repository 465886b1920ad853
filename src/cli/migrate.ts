import { parseArgs } from 'node:util'
import { applyMigrations } from '../server/adapters/postgres/migrations.ts'
import { loadDatabaseUrl } from '../server/config/config.ts'
import { runCommand } from './command.ts'
import { MIGRATIONS } from './migrations-folder.ts'

await runCommand({
  name: 'db:migrate',
  usage: `usage: npm run db:migrate

Applies the pending migrations of prisma/migrations to DATABASE_URL. Safe to run from many replicas at once.`,
  async main(argv) {
    parseArgs({ args: argv, options: {} })
    const { applied, unknown } = await applyMigrations({
      databaseUrl: loadDatabaseUrl(),
      directory: MIGRATIONS,
      onApplied: (name) => console.log(`applied ${name}`),
    })
    if (applied.length === 0) console.log('database is up to date')
    if (unknown.length > 0) console.log(`database is ahead of this release: ${unknown.join(', ')}`)
  },
})
