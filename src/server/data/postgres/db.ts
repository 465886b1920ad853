import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../../../generated/prisma/client.ts'
import { createSql, type Sql } from './sql.ts'
import { createStatementNames } from './statement-names.ts'

/** Prisma's models, and `sql` for single statements, on one pool. */
export type Db = PrismaClient & { readonly sql: Sql; close(): Promise<void> }

/** One pool per process. `maxConnections` also bounds how many statements run at once. `onPool` receives the pool, for metrics. */
export function createDb(databaseUrl: string, maxConnections = 20, onPool?: (pool: pg.Pool) => void): Db {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
  })
  // Without a listener, an idle connection that breaks would end the process. The pool opens another.
  pool.on('error', () => {})
  onPool?.(pool)
  const statementNameGenerator = createStatementNames()
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator }) })
  return Object.assign(prisma, {
    sql: createSql(pool, statementNameGenerator),
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  })
}
