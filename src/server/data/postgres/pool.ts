import pg from 'pg'
import type { Trace } from '../../trace.ts'
import { Connection } from './connection.ts'
import { traceStatements } from './trace-statements.ts'

/** How long the database may take. Together they bound every call: a connection, then one statement. */
export type Limits = {
  /** For a free connection, or to make one. */
  connectMs: number
  statementMs: number
}

/** Statements that a caller waits for, or that must not stand still: the slowest take 0.1 s. */
export const SHORT: Limits = { connectMs: 4_500, statementMs: 5_000 }
/** Sweeps and commands that read or write thousands of rows. */
export const LONG: Limits = { connectMs: 4_500, statementMs: 60_000 }

/** PostgreSQL gives up before we do: it says why, and the statement holds no locks after its caller has gone. */
const SERVER_MARGIN_MS = 500
/** A replica that was cut off must not keep its locks. */
const IDLE_IN_TRANSACTION_MS = 15_000
/** Idle connections to a machine that is gone are found within 20 s (Linux: then every second, ten times). */
const KEEP_ALIVE_MS = 10_000
/** Connections move to where the name in DATABASE_URL points by then. */
const MAX_AGE_SECONDS = 1_800
const IDLE_MS = 30_000
/** What is still at work when a pool closes has this long. */
const CLOSE_MS = 2_000

export type Pool = pg.Pool & { close(): Promise<void> }

/** Connections with time limits, so that a database that goes silent makes nobody wait for longer than they say. */
export function createPool(databaseUrl: string, max: number, limits: Limits, trace?: Trace): Pool {
  const connections = new Set<Connection>()
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max,
    connectionTimeoutMillis: limits.connectMs,
    idleTimeoutMillis: IDLE_MS,
    maxLifetimeSeconds: MAX_AGE_SECONDS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    Client: Connection,
    async onConnect(client) {
      const connection = client as Connection
      connections.add(connection)
      connection.once('end', () => connections.delete(connection))
      // As a statement, since PgBouncer refuses these settings at the start of a connection.
      connection.limitMs = limits.connectMs - connection.ageMs()
      await client.query(
        "SELECT set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $2, false)",
        [String(limits.statementMs - SERVER_MARGIN_MS), String(IDLE_IN_TRANSACTION_MS)],
      )
      connection.limitMs = limits.statementMs
    },
  })
  // Without a listener, an idle connection that breaks would end the process. The pool opens another.
  pool.on('error', () => {})
  if (trace) traceStatements(pool, trace)

  return Object.assign(pool, {
    /** Never waits long: what does not end by itself is cut off. */
    async close() {
      const cut = setTimeout(() => {
        for (const connection of connections) connection.destroy(new Error('the service is stopping'))
      }, CLOSE_MS)
      await pool.end()
      clearTimeout(cut)
    },
  })
}
