import type { DeliveryRepo } from '../../../domain/webhooks/delivery-repo.ts'
import { MAX_HISTORY } from '../../../domain/webhooks/schema.ts'
import type { Db } from '../db.ts'
import type { Sql } from '../sql.ts'

/** Maximum number of deliveries that become due at once when a receiver recovers. The rest keep their times. */
const MAX_MADE_DUE = 10_000

/** Maximum number of deliveries that one statement fails. A webhook can have millions. */
const FAILED_PER_STATEMENT = 2_000

/** Uses the database's clock, which all replicas share. */
export function createDeliveryRepo(db: Db): DeliveryRepo {
  /** Fails these pending deliveries of a webhook that has ended, and some others. Returns their number. */
  const failPending = (sql: Sql, webhookId: string, deliveryIds: string[], failure: string) =>
    sql.run<'failPendingDeliveries'>`
      UPDATE webhook_deliveries SET status = 'failed', settled_at = now(), lease_id = NULL,
        failure = CASE WHEN id = ANY (${deliveryIds}::uuid[]) THEN failure ELSE ${failure} END
      WHERE webhook_id = ${webhookId}::uuid AND status = 'pending'
        AND EXISTS (SELECT FROM webhooks WHERE id = ${webhookId}::uuid AND ended_at IS NOT NULL)
        AND id = ANY (${deliveryIds}::uuid[] || ARRAY(
          SELECT id FROM webhook_deliveries
          WHERE webhook_id = ${webhookId}::uuid AND status = 'pending' AND id <> ALL (${deliveryIds}::uuid[])
          LIMIT ${FAILED_PER_STATEMENT - deliveryIds.length}::int))`

  return {
    due: () => db.sql.rows<'dueWebhooks'>`
      SELECT w.id, w.failing_since IS NOT NULL AS failing FROM webhooks w
      WHERE w.active AND EXISTS (
        SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.due_at <= now())`,

    claim: (webhookId, leaseId, limit, leaseMs) => db.sql.rows<'claimDeliveries'>`
        WITH due AS (
          SELECT id FROM webhook_deliveries
          WHERE webhook_id = ${webhookId}::uuid AND status = 'pending' AND due_at <= now()
          ORDER BY due_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
        UPDATE webhook_deliveries d
        SET lease_id = ${leaseId}::uuid, due_at = now() + ${leaseMs}::int * interval '1 ms'
        FROM webhooks w
        WHERE d.webhook_id = ${webhookId}::uuid AND d.id = ANY (ARRAY(SELECT id FROM due))
          AND w.id = d.webhook_id AND w.active
        RETURNING d.id, w.url, w.secret, d.type, d.data, d.sequence::float8 AS sequence, d.created_at AS "createdAt",
          (SELECT count(*) FROM jsonb_array_elements(d.history) AS a
           WHERE (a ->> 'at')::timestamptz > d.expires_at - interval '72 hours')::int AS attempts,
          (extract(epoch FROM d.expires_at - now()) * 1000)::float8 AS "expiresInMs"`,

    async record(webhookId, leaseId, results) {
      const delivered = results.some((result) => result.delivered)
      const [row] = await db.sql.rows<'recordDeliveries'>`
        WITH results AS (
          SELECT * FROM unnest(${results.map((r) => r.id)}::uuid[], ${results.map((r) => r.delivered)}::bool[],
            ${results.map((r) => r.httpStatus)}::int[], ${results.map((r) => r.failure)}::text[],
            ${results.map((r) => r.durationMs)}::int[], ${results.map((r) => r.retryInMs)}::float8[])
            AS r (id, delivered, http_status, failure, duration_ms, retry_ms)),
        recorded AS (
          UPDATE webhook_deliveries d
          SET status = (CASE WHEN r.delivered THEN 'delivered' WHEN r.retry_ms IS NULL THEN 'failed' ELSE 'pending' END)
                ::delivery_status,
              attempts = d.attempts + 1, last_attempt_at = now(), http_status = r.http_status, failure = r.failure,
              history = (CASE WHEN jsonb_array_length(d.history) < ${MAX_HISTORY}::int THEN d.history ELSE d.history - 0 END)
                || jsonb_build_array(jsonb_build_object(
                  'at', to_char(now()::timestamptz(3) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
                  'httpStatus', r.http_status, 'failure', r.failure, 'durationMs', r.duration_ms)),
              due_at = now() + coalesce(r.retry_ms, 0) * interval '1 ms', lease_id = NULL,
              settled_at = CASE WHEN r.retry_ms IS NULL THEN now() END
          FROM results r
          WHERE d.webhook_id = ${webhookId}::uuid AND d.id = r.id AND d.lease_id = ${leaseId}::uuid),
        changed AS (
          UPDATE webhooks SET failing_since = CASE WHEN ${delivered}::bool THEN NULL ELSE now() END
          WHERE id = ${webhookId}::uuid AND (failing_since IS NULL) <> ${delivered}::bool)
        -- Reads the value from before this statement.
        SELECT (extract(epoch FROM now() - failing_since) * 1000)::float8 AS "failingMs"
        FROM webhooks WHERE id = ${webhookId}::uuid`
      return row?.failingMs ?? null
    },

    makeDue: (webhookId) => db.sql.write<'makeDeliveriesDue'>`
      UPDATE webhook_deliveries SET due_at = now()
      WHERE webhook_id = ${webhookId}::uuid AND status = 'pending' AND id = ANY (ARRAY(
        SELECT id FROM webhook_deliveries
        WHERE webhook_id = ${webhookId}::uuid AND status = 'pending' AND due_at > now() AND lease_id IS NULL
        ORDER BY due_at LIMIT ${MAX_MADE_DUE}::int FOR UPDATE SKIP LOCKED))`,

    async end(webhookId, url, deliveryIds, failure) {
      let failed = await db.sqlTransaction(async (sql) => {
        const ended = await sql.wrote<'endWebhook'>`
          UPDATE webhooks SET active = false, ended_at = now()
          WHERE id = ${webhookId}::uuid AND url = ${url} AND active`
        if (ended) return failPending(sql, webhookId, deliveryIds, failure)
        await sql.run<'hastenDeliveries'>`
            UPDATE webhook_deliveries d SET due_at = now()
            FROM webhooks w
            WHERE d.webhook_id = ${webhookId}::uuid AND d.id = ANY (${deliveryIds}::uuid[]) AND d.status = 'pending'
              AND d.lease_id IS NULL AND w.id = d.webhook_id AND w.url <> ${url}`
        return null
      })
      if (failed === null) return false
      // Not until a batch is smaller than the limit: other replicas can record some of its deliveries in the meantime.
      while (failed > 0) failed = await failPending(db.sql, webhookId, [], failure)
      return true
    },

    release: (leaseId, webhookIds) => db.sql.write<'releaseDeliveries'>`
      UPDATE webhook_deliveries SET due_at = now(), lease_id = NULL
      WHERE webhook_id = ANY (${webhookIds}::uuid[]) AND status = 'pending' AND lease_id = ${leaseId}::uuid`,

    list: (webhookId, { before = null, status = null, limit }) => db.sql.rows<'listDeliveries'>`
        SELECT id, type, sequence::float8 AS sequence, status, attempts, created_at AS "createdAt",
          last_attempt_at AS "lastAttemptAt", CASE WHEN status = 'pending' THEN due_at END AS "nextAttemptAt",
          http_status AS "httpStatus", failure, history, data
        FROM webhook_deliveries
        WHERE webhook_id = ${webhookId}::uuid AND (${status}::delivery_status IS NULL OR status = ${status}::delivery_status)
          AND (${before}::bigint IS NULL OR sequence < ${before}::bigint)
        ORDER BY webhook_deliveries.sequence DESC LIMIT ${limit}::int`,

    async addTest(webhookId, type, data) {
      const delivery = await db.sql.row<'addTestDelivery'>`
        INSERT INTO webhook_deliveries (webhook_id, id, sequence, type, data, created_at, due_at, expires_at)
        SELECT ${webhookId}::uuid, gen_random_uuid(), nextval('webhook_event_sequence'), ${type},
          ${JSON.stringify(data)}::jsonb, at, at, at + interval '72 hours'
        FROM clock_timestamp() AS at
        RETURNING id, type, sequence::float8 AS sequence, status, attempts, created_at AS "createdAt",
          last_attempt_at AS "lastAttemptAt", CASE WHEN status = 'pending' THEN due_at END AS "nextAttemptAt",
          http_status AS "httpStatus", failure, history, data`
      return delivery!
    },

    redeliver: (webhookId, id) => db.sql.row<'redeliver'>`
      UPDATE webhook_deliveries
      SET status = 'pending', due_at = now(), expires_at = now() + interval '72 hours', settled_at = NULL, lease_id = NULL
      WHERE webhook_id = ${webhookId}::uuid AND id = ${id}::uuid
      RETURNING id, type, sequence::float8 AS sequence, status, attempts, created_at AS "createdAt",
        last_attempt_at AS "lastAttemptAt", CASE WHEN status = 'pending' THEN due_at END AS "nextAttemptAt",
        http_status AS "httpStatus", failure, history, data`,

    failExpired: (failure, limit) => db.sql.run<'failExpiredDeliveries'>`
      UPDATE webhook_deliveries
      SET status = 'failed', failure = concat_ws(': ', ${failure}::text, failure), settled_at = now(), lease_id = NULL
      WHERE (webhook_id, id) IN (
        SELECT webhook_id, id FROM webhook_deliveries
        WHERE status = 'pending' AND expires_at < now() - interval '1 minute'
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,

    deleteOld: ({ deliveredBefore, failedBefore }, limit) => db.sql.run<'deleteOldDeliveries'>`
      DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN (
        SELECT webhook_id, id FROM webhook_deliveries
        WHERE settled_at < ${deliveredBefore}::timestamptz
          AND (status = 'delivered' OR settled_at < ${failedBefore}::timestamptz)
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,

    // Jumps from webhook to webhook in the primary key.
    deleteOrphaned: (limit) => db.sql.run<'deleteOrphanedDeliveries'>`
      WITH RECURSIVE ids (id) AS (
        (SELECT webhook_id FROM webhook_deliveries ORDER BY webhook_id LIMIT 1)
        UNION ALL
        SELECT (SELECT webhook_id FROM webhook_deliveries WHERE webhook_id > ids.id ORDER BY webhook_id LIMIT 1)
        FROM ids WHERE ids.id IS NOT NULL)
      DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN (
        SELECT d.webhook_id, d.id
        FROM ids CROSS JOIN LATERAL (
          SELECT webhook_id, id FROM webhook_deliveries WHERE webhook_id = ids.id LIMIT ${limit}::int) AS d
        WHERE NOT EXISTS (SELECT FROM webhooks WHERE webhooks.id = ids.id)
        LIMIT ${limit}::int)`,
  }
}

/** Returns the number of pending deliveries and the age of the oldest. */
export async function deliveryBacklog(db: Db) {
  const [row] = await db.sql.rows<'deliveryBacklog'>`
    SELECT count(d.*)::int AS pending,
      (SELECT count(*) FROM webhooks WHERE active AND failing_since IS NOT NULL)::int AS failing,
      coalesce(extract(epoch FROM now() - min(d.created_at)), 0)::float8 AS "oldestSeconds"
    FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.status = 'pending' WHERE w.active`
  return row!
}
