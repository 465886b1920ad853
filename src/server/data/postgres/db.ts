import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../../../generated/prisma/client.ts'
import type { Trace } from '../../trace.ts'
import { createPool, type Limits, type Pool, SHORT } from './pool.ts'
import { createSql, type Sql } from './sql.ts'
import { createStatementNames } from './statement-names.ts'

/** Prisma's models, and `sql` for single statements, on one pool. */
export type Db = PrismaClient & { readonly sql: Sql; readonly pool: Pool; close(): Promise<void> }

/** `maxConnections` also bounds how many statements run at once. */
export function createDb(
  databaseUrl: string,
  maxConnections = 20,
  limits: Limits = SHORT,
  trace?: Trace,
): Db {
  const pool = createPool(databaseUrl, maxConnections, limits, trace)
  const statementNameGenerator = createStatementNames()
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator }) })
  return Object.assign(prisma, {
    sql: createSql(pool, statementNameGenerator),
    pool,
    async close() {
      await Promise.all([prisma.$disconnect(), pool.close()])
    },
  })
}
