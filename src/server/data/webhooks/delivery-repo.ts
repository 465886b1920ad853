import type { Prisma } from '../../../generated/prisma/client.ts'
import type { DeliveryRepo, DeliveryStatus, DeliveryView, LeasedDelivery } from '../../webhooks/ports.ts'
import type { EventType } from '../../webhooks/schema.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'

/** What one recovery of a receiver makes due at once; the rest keeps its time. */
const MAX_MADE_DUE = 10_000

type LeasedRow = Omit<LeasedDelivery, 'sequence'> & { sequence: bigint }

/** Times are those of the database, which all replicas share. */
export function createDeliveryRepo(db: Db): DeliveryRepo {
  return {
    due: () => db.sql.rows`
      SELECT w.id, w.failing_since IS NOT NULL AS failing FROM webhooks w
      WHERE w.active AND EXISTS (
        SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.status = 'pending' AND d.due_at <= now())`,

    async claim(webhookId, leaseId, limit, leaseMs) {
      const rows = await db.sql.rows<LeasedRow>`
        WITH due AS (
          SELECT id FROM webhook_deliveries
          WHERE webhook_id = ${webhookId}::uuid AND status = 'pending' AND due_at <= now()
          ORDER BY due_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)
        UPDATE webhook_deliveries d
        SET lease_id = ${leaseId}::uuid, due_at = now() + ${leaseMs}::int * interval '1 ms'
        FROM webhooks w
        WHERE d.webhook_id = ${webhookId}::uuid AND d.id = ANY (ARRAY(SELECT id FROM due))
          AND w.id = d.webhook_id AND w.active
        RETURNING d.id, w.url, w.secret, d.type, d.data, d.sequence, d.created_at AS "createdAt", d.attempts,
          (extract(epoch FROM d.expires_at - now()) * 1000)::float8 AS "expiresInMs"`
      return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }))
    },

    async record(webhookId, leaseId, results) {
      const delivered = results.some((result) => result.delivered)
      const [row] = await db.sql.rows<{ failingMs: number | null }>`
        WITH results AS (
          SELECT * FROM unnest(${results.map((r) => r.id)}::uuid[], ${results.map((r) => r.delivered)}::bool[],
            ${results.map((r) => r.httpStatus)}::int[], ${results.map((r) => r.failure)}::text[],
            ${results.map((r) => r.retryInMs)}::float8[]) AS r (id, delivered, http_status, failure, retry_ms)),
        recorded AS (
          UPDATE webhook_deliveries d
          SET status = (CASE WHEN r.delivered THEN 'delivered' WHEN r.retry_ms IS NULL THEN 'failed' ELSE 'pending' END)
                ::delivery_status,
              attempts = d.attempts + 1, last_attempt_at = now(), http_status = r.http_status, failure = r.failure,
              due_at = now() + coalesce(r.retry_ms, 0) * interval '1 ms', lease_id = NULL,
              settled_at = CASE WHEN r.retry_ms IS NULL THEN now() END
          FROM results r
          WHERE d.webhook_id = ${webhookId}::uuid AND d.id = r.id AND d.lease_id = ${leaseId}::uuid),
        changed AS (
          UPDATE webhooks SET failing_since = CASE WHEN ${delivered}::bool THEN NULL ELSE now() END
          WHERE id = ${webhookId}::uuid AND (failing_since IS NULL) <> ${delivered}::bool)
        -- As it was before this statement.
        SELECT (extract(epoch FROM now() - failing_since) * 1000)::float8 AS "failingMs"
        FROM webhooks WHERE id = ${webhookId}::uuid`
      return row?.failingMs ?? null
    },

    async makeDue(webhookId) {
      await db.sql.run`
        UPDATE webhook_deliveries SET due_at = now()
        WHERE webhook_id = ${webhookId}::uuid AND status = 'pending' AND id = ANY (ARRAY(
          SELECT id FROM webhook_deliveries
          WHERE webhook_id = ${webhookId}::uuid AND status = 'pending' AND due_at > now() AND lease_id IS NULL
          ORDER BY due_at LIMIT ${MAX_MADE_DUE}::int FOR UPDATE SKIP LOCKED))`
    },

    async end(webhookId, failure) {
      await db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        await sql.run`UPDATE webhooks SET active = false, ended_at = now() WHERE id = ${webhookId}::uuid AND active`
        await sql.run`
          UPDATE webhook_deliveries SET status = 'failed', failure = ${failure}, settled_at = now(), lease_id = NULL
          WHERE webhook_id = ${webhookId}::uuid AND status = 'pending'`
      })
    },

    async release(leaseId, webhookIds) {
      await db.sql.run`
        UPDATE webhook_deliveries SET due_at = now(), lease_id = NULL
        WHERE webhook_id = ANY (${webhookIds}::uuid[]) AND status = 'pending' AND lease_id = ${leaseId}::uuid`
    },

    async list(webhookId, { before, status, limit }) {
      const rows = await db.webhookDelivery.findMany({
        where: {
          webhookId,
          ...(status && { status }),
          ...(before !== undefined && { sequence: { lt: before } }),
        },
        orderBy: { sequence: 'desc' },
        take: limit,
        select: VIEW,
      })
      return rows.map(viewOf)
    },

    async redeliver(webhookId, id) {
      const again = await db.sql.run`
        UPDATE webhook_deliveries
        SET status = 'pending', due_at = now(), expires_at = now() + interval '72 hours', settled_at = NULL, lease_id = NULL
        WHERE webhook_id = ${webhookId}::uuid AND id = ${id}::uuid`
      if (again === 0) return null
      const row = await db.webhookDelivery.findUnique({
        where: { webhookId_id: { webhookId, id } },
        select: VIEW,
      })
      return row && viewOf(row)
    },

    failExpired: (failure, limit) => db.sql.run`
      UPDATE webhook_deliveries
      SET status = 'failed', failure = concat_ws(': ', ${failure}::text, failure), settled_at = now(), lease_id = NULL
      WHERE (webhook_id, id) IN (
        SELECT webhook_id, id FROM webhook_deliveries
        WHERE status = 'pending' AND expires_at < now() - interval '1 minute'
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,

    deleteOld: ({ deliveredBefore, failedBefore }, limit) => db.sql.run`
      DELETE FROM webhook_deliveries WHERE (webhook_id, id) IN (
        SELECT webhook_id, id FROM webhook_deliveries
        WHERE settled_at < ${failedBefore}::timestamptz
          OR (settled_at < ${deliveredBefore}::timestamptz AND status = 'delivered')
          OR NOT EXISTS (SELECT FROM webhooks WHERE webhooks.id = webhook_id)
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
  }
}

/** Deliveries that wait, and for how long the one that is due longest has been due. */
export async function deliveryBacklog(
  db: Db,
): Promise<{ pending: number; failing: number; oldestSeconds: number }> {
  const [row] = await db.sql.rows<{ pending: bigint; failing: bigint; oldest: number }>`
    SELECT count(d.*) AS pending, (SELECT count(*) FROM webhooks WHERE active AND failing_since IS NOT NULL) AS failing,
      coalesce(extract(epoch FROM now() - min(d.created_at)), 0)::float8 AS oldest
    FROM webhooks w JOIN webhook_deliveries d ON d.webhook_id = w.id AND d.status = 'pending' WHERE w.active`
  return { pending: Number(row!.pending), failing: Number(row!.failing), oldestSeconds: row!.oldest }
}

const VIEW = {
  id: true,
  type: true,
  sequence: true,
  status: true,
  attempts: true,
  createdAt: true,
  lastAttemptAt: true,
  dueAt: true,
  httpStatus: true,
  failure: true,
} satisfies Prisma.WebhookDeliverySelect

type Row = Omit<DeliveryView, 'type' | 'sequence' | 'nextAttemptAt'> & {
  type: string
  sequence: bigint
  status: DeliveryStatus
  dueAt: Date
}

function viewOf({ dueAt, type, sequence, ...row }: Row): DeliveryView {
  return {
    ...row,
    type: type as EventType,
    sequence: Number(sequence),
    nextAttemptAt: row.status === 'pending' ? dueAt : null,
  }
}
