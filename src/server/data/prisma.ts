import { PrismaPg } from '@prisma/adapter-pg'
import { PrismaClient } from '../../generated/prisma/client.ts'

export type Db = PrismaClient

/** One pool per process. `maxConnections` also bounds how many statements run at once. */
export function createDb(databaseUrl: string, maxConnections = 20): Db {
  return new PrismaClient({
    adapter: new PrismaPg({
      connectionString: databaseUrl,
      max: maxConnections,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
    }),
  })
}
