// Empties a used test database, or reports that it cannot be reused.

import type pg from 'pg'

/**
 * Maximum size of tables and indexes, of which 0.5 MB are used without rows. Deleted rows leave pages behind, which
 * would slow down the next tests.
 */
const MAX_BYTES = 4 * 1024 * 1024

/** First object ID of the migrations and tests. Lower ones belong to PostgreSQL's own catalogs. */
const FIRST_ID = 16_384

/**
 * Everything that a test can change besides rows: statistics, which plans depend on, the applied migrations, and the
 * objects and settings of the schema. Each object has one row, with the transaction that last wrote it.
 */
const STATE = `
  SELECT count(*) || ' ' || coalesce(sum(hashtextextended(line, 0)), 0) AS state FROM (
    SELECT concat_ws(' ', oid, xmin, relpages, reltuples) AS line FROM pg_class WHERE oid >= ${FIRST_ID}
    UNION ALL SELECT concat_ws(' ', starelid, staattnum, xmin) FROM pg_statistic WHERE starelid >= ${FIRST_ID}
    UNION ALL SELECT concat_ws(' ', attrelid, attnum, xmin) FROM pg_attribute WHERE attrelid >= ${FIRST_ID}
    ${[
      'attrdef',
      'constraint',
      'trigger',
      'proc',
      'type',
      'enum',
      'rewrite',
      'namespace',
      'extension',
      'policy',
      'event_trigger',
    ]
      .map((name) => `UNION ALL SELECT concat_ws(' ', oid, xmin) FROM pg_${name} WHERE oid >= ${FIRST_ID}`)
      .join('\n')}
    UNION ALL SELECT concat_ws(' ', setrole, setconfig) FROM pg_db_role_setting
      JOIN pg_database ON pg_database.oid = setdatabase WHERE datname = current_database()
    UNION ALL SELECT concat_ws(' ', id, xmin) FROM _prisma_migrations
  ) AS lines`

/** Returns a value that changes with every change of the schema, even with one that was reverted. */
export async function schemaState(pool: pg.Pool): Promise<string> {
  const { rows } = await pool.query<{ state: string }>(STATE)
  return rows[0]!.state
}

/**
 * Deletes all rows and restarts all sequences. Returns false if the database must not be reused: its schema is not in
 * this `state`, it is too large, or a connection of the pool is in a transaction.
 */
export async function empty(pool: pg.Pool, state: string): Promise<boolean> {
  const clients = await Promise.all(Array.from({ length: Math.max(1, pool.idleCount) }, () => pool.connect()))
  try {
    // Reset what tests have set and prepared. This fails inside a transaction.
    await Promise.all(clients.map((client) => client.query('DISCARD ALL')))
    const [client] = clients
    const { rows } = await client!.query<{ now: string; bytes: number; deletions: string }>(
      `SELECT (${STATE}) AS now,
         (SELECT sum(pg_relation_size(oid))::int FROM pg_class WHERE oid >= ${FIRST_ID}) AS bytes,
         (SELECT string_agg(format('DELETE FROM %s', oid::regclass), ';') FROM pg_class
          WHERE oid >= ${FIRST_ID} AND relkind = 'r' AND relname <> '_prisma_migrations'
            AND pg_relation_size(oid) > 0) AS deletions`,
    )
    const { now, bytes, deletions } = rows[0]!
    if (now !== state || bytes > MAX_BYTES) return false
    // Act as a replica to skip triggers, which would write events for webhooks, and reference checks.
    await client!.query(
      `SET session_replication_role = replica; ${deletions ?? ''};
       SELECT setval(seqrelid, seqstart, false) FROM pg_sequence WHERE seqrelid >= ${FIRST_ID};
       RESET session_replication_role`,
    )
    return true
  } catch {
    return false
  } finally {
    for (const client of clients) client.release()
  }
}
