import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../../generated/prisma/client.ts'
import { createStatementNames } from './statement-names.ts'

export type Db = PrismaClient

/** One pool per process. `maxConnections` also bounds how many statements run at once; `onPool` is shown the pool. */
export function createDb(databaseUrl: string, maxConnections = 20, onPool?: (pool: pg.Pool) => void): Db {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: maxConnections,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 30_000,
  })
  onPool?.(pool)
  const statementNameGenerator = createStatementNames()
  return new PrismaClient({
    adapter: new PrismaPg(pool, { disposeExternalPool: true, statementNameGenerator }),
  })
}
