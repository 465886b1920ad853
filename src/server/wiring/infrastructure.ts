import { fileURLToPath } from 'node:url'
import { createAuditRepo } from '../adapters/postgres/accounts/audit-repo.ts'
import { createExternalUserRepo } from '../adapters/postgres/accounts/external-user-repo.ts'
import { createDatabaseState } from '../adapters/postgres/database-state.ts'
import { createDb } from '../adapters/postgres/db.ts'
import { readMigrations } from '../adapters/postgres/migrations.ts'
import { LONG, POOL_SIZES, SHORT } from '../adapters/postgres/pool.ts'
import { createRateCounter, createRateCounterPool } from '../adapters/postgres/rate-counter.ts'
import { waitForDatabase } from '../adapters/postgres/wait-for-database.ts'
import { createLog } from '../adapters/telemetry/log.ts'
import { createMetrics } from '../adapters/telemetry/metrics.ts'
import type { Config } from '../config/config.ts'
import { createFindByExternalId } from '../domain/accounts/external-users.ts'
import { createAudit } from '../kernel/audit.ts'
import { systemClock } from '../kernel/clock.ts'
import { createLifecycle } from './lifecycle.ts'

/** Folder of this release's migrations. */
export const MIGRATIONS = fileURLToPath(new URL('../../../prisma/migrations', import.meta.url))

export type Infrastructure = Awaited<ReturnType<typeof createInfrastructure>>

/** Creates what every domain uses: clock, log, metrics, traces and database pools. */
export async function createInfrastructure(config: Config) {
  const lifecycle = createLifecycle()
  const log = createLog(config.logLevel)
  const metrics = createMetrics()
  // Loaded on demand, because loading the SDK takes 0.3 s.
  const trace = config.tracing
    ? (await import('../adapters/telemetry/tracing.ts')).startTracing(log)
    : undefined
  const db = createDb(config.databaseUrl, POOL_SIZES.requests, SHORT, trace)
  // For statements over thousands of rows, which take longer and must not use up the connections of requests.
  const sweepDb = createDb(config.databaseUrl, POOL_SIZES.sweeps, LONG)
  // Broadcasts and requests must not delay each other.
  const broadcastDb = createDb(config.databaseUrl, POOL_SIZES.broadcasts)
  const counterPool = createRateCounterPool(config.databaseUrl, (err) =>
    log.warn({ err }, 'database connection lost'),
  )
  metrics.watchPool('requests', db.pool)
  metrics.watchPool('sweeps', sweepDb.pool)
  metrics.watchPool('broadcasts', broadcastDb.pool)
  metrics.watchPool('limits', counterPool)

  const databaseState = createDatabaseState({
    pool: counterPool,
    needed: readMigrations(MIGRATIONS).map(({ name }) => name),
    clock: systemClock,
  })

  const audit = createAudit({ repo: createAuditRepo(db), clock: systemClock, log })

  const externalUserRepo = createExternalUserRepo(db)
  const findByExternalId = createFindByExternalId(externalUserRepo, config.externalIssuer?.issuer)

  lifecycle.register({ close: () => trace?.close() })
  lifecycle.register({
    start: () => waitForDatabase(databaseState.schemaFault, log),
    async close() {
      await audit.flush()
      await Promise.all([counterPool.close(), broadcastDb.close(), sweepDb.close(), db.close()])
    },
  })
  return {
    clock: systemClock,
    log,
    metrics,
    /** Undefined if tracing is off. */
    trace,
    db,
    sweepDb,
    broadcastDb,
    databaseState,
    /** Returns a counter of keys that start with `prefix`, in windows of `windowSeconds`. */
    rateCounter: (prefix: string, windowSeconds: number) =>
      createRateCounter(counterPool, { prefix, windowSeconds }),
    audit,
    /** Each part registers here where it is created. */
    lifecycle,
    externalUserRepo,
    findByExternalId,
    /** Returns the ID of the user with this `externalId`, or null. */
    findExternalUser: async (externalId: string) => (await findByExternalId(externalId))?.id ?? null,
  }
}
