import pg from 'pg'
import { urlPerHost } from '../../kernel/database-hosts.ts'
import type { Trace } from '../../kernel/trace.ts'
import { Connection } from './connection.ts'
import { createFindPrimary } from './find-primary.ts'
import { createSql } from './sql.ts'
import { traceStatements } from './trace-statements.ts'

/**
 * Connections of each pool of a replica. `requests` must exceed what one user's calls (MAX_RUNNING_CALLS) and messages
 * that start (MAX_STARTS) can hold.
 */
export const POOL_SIZES = { requests: 24, sweeps: 2, broadcasts: 8, limits: 4 }

/** Time limits of the database. Together they limit every call, which is a connection and then one statement. */
export type Limits = {
  /** Wait for a free or new connection. */
  connectMs: number
  statementMs: number
}

/** Limits for statements that a caller waits for. The slowest takes 0.1 s. */
export const SHORT: Limits = { connectMs: 4_500, statementMs: 5_000 }
/** Limits for sweeps and commands that read or write thousands of rows. */
export const LONG: Limits = { connectMs: 4_500, statementMs: 60_000 }

/** PostgreSQL stops a statement before we do: it reports the reason, and the statement holds no locks without a caller. */
const SERVER_MARGIN_MS = 500
/** A disconnected replica must not keep its locks. */
const IDLE_IN_TRANSACTION_MS = 15_000
/** Idle time before the first probe. Linux then probes ten times, once per second, and drops a dead connection after 20 s. */
const KEEP_ALIVE_MS = 10_000
/** New connections follow a changed address of the host in DATABASE_URL. */
const MAX_AGE_SECONDS = 1_800
const IDLE_MS = 30_000
/** Time for statements in progress when a pool closes. */
const CLOSE_MS = 2_000

export type Pool = pg.Pool & { close(): Promise<void> }

/** Creates a pool whose time limits also apply when the database stops responding. */
export function createPool(databaseUrl: string, max: number, limits: Limits, trace?: Trace): Pool {
  const connections = new Set<Connection>()
  const findPrimary = createFindPrimary(databaseUrl, limits.connectMs)
  const pool = new pg.Pool({
    connectionString: urlPerHost(databaseUrl)[0],
    max,
    connectionTimeoutMillis: limits.connectMs,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: MAX_AGE_SECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    Client: class extends Connection {
      constructor(config?: pg.ClientConfig) {
        super(config, findPrimary)
      }
    },
    async onConnect(client) {
      const connection = client as Connection
      connections.add(connection)
      connection.once('end', () => connections.delete(connection))
      // PgBouncer rejects these settings as startup parameters. A statement through a pooler would also set them for other
      // clients of the server's connection, so it runs only if the process ID is the server's: poolers invent their
      // own. Behind a pooler, set the limits for the role (docs/operations.md).
      connection.limitMs = limits.connectMs
      await createSql(client).run<'limitConnection'>`
        SELECT set_config('statement_timeout', ${String(limits.statementMs - SERVER_MARGIN_MS)}, false),
          set_config('idle_in_transaction_session_timeout', ${String(IDLE_IN_TRANSACTION_MS)}, false)
        WHERE pg_backend_pid() = ${connection.processID ?? 0}::int`
      connection.limitMs = limits.statementMs
    },
  })
  // Prisma returns a connection even if its transaction failed. The pool does not lend a connection that is ending.
  pool.on('release', (_error, client) => {
    if ((client as unknown as Connection).isServerLost) void client.end()
  })
  // Without a listener, a broken idle connection would end the process. The pool opens another.
  pool.on('error', () => {})
  if (trace) traceStatements(pool, trace)

  return Object.assign(pool, {
    /** Closes the pool. Interrupts statements that do not end in time. */
    async close() {
      const cut = setTimeout(() => {
        for (const connection of connections) connection.destroy(new Error('the service is stopping'))
      }, CLOSE_MS)
      await pool.end()
      clearTimeout(cut)
    },
  })
}
