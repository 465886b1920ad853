import type { WebhookView } from '../../../domain/webhooks/schema.ts'
import type { WebhookRepo } from '../../../domain/webhooks/webhooks.ts'
import { changedFields } from '../../../kernel/audit.ts'
import { addAudit } from '../accounts/audit-repo.ts'
import type { Db } from '../db.ts'

/** Maximum number of newest events to search for the latest attempt, because no index covers the times of attempts. */
const NEWEST_EVENTS = 1_000

/** Newest events whose results are counted. */
const RECENT_EVENTS = 100

/** Maximum number of pending deliveries to search for retries, from the last due. Retries are usually due last. */
const LATEST_DUE = 100

export function createWebhookRepo(db: Db): WebhookRepo {
  const { sql, webhook } = db
  async function select(id: string | null = null): Promise<WebhookView[]> {
    const rows = await sql.rows<'listWebhooks'>`
      SELECT w.id, w.url, w.events, w.description, w.active, w.created_at AS "createdAt", w.ended_at AS "endedAt",
        w.failing_since AS "failingSince", coalesce(waiting.retrying, false) AS retrying,
        last.last_attempt_at AS "attemptAt", last.type AS "attemptType", last.http_status AS "httpStatus", last.failure,
        recent.delivered, recent.failed
      FROM webhooks w
      LEFT JOIN LATERAL (
        SELECT last_attempt_at, type, http_status, failure
        FROM (
          SELECT last_attempt_at, type, http_status, failure FROM webhook_deliveries d
          WHERE d.webhook_id = w.id ORDER BY d.sequence DESC LIMIT ${NEWEST_EVENTS}::int) AS newest
        WHERE last_attempt_at IS NOT NULL ORDER BY last_attempt_at DESC LIMIT 1) AS last ON true
      LEFT JOIN LATERAL (
        SELECT bool_or(attempts > 0 AND failure IS NOT NULL) AS retrying
        FROM (
          SELECT attempts, failure FROM webhook_deliveries d
          WHERE d.webhook_id = w.id AND d.status = 'pending' ORDER BY d.due_at DESC LIMIT ${LATEST_DUE}::int) AS pending
        ) AS waiting ON w.active
      CROSS JOIN LATERAL (
        SELECT count(*) FILTER (WHERE status = 'delivered')::int AS delivered,
          count(*) FILTER (WHERE status = 'failed')::int AS failed
        FROM (
          SELECT status FROM webhook_deliveries d
          WHERE d.webhook_id = w.id ORDER BY d.sequence DESC LIMIT ${RECENT_EVENTS}::int) AS ended) AS recent
      WHERE w.events IS NOT NULL AND (${id}::uuid IS NULL OR w.id = ${id}::uuid) ORDER BY w.id`
    return rows.map(({ attemptAt, attemptType, httpStatus, failure, delivered, failed, ...webhook }) => ({
      ...webhook,
      recent: { delivered, failed },
      lastAttempt: attemptAt && attemptType && { at: attemptAt, type: attemptType, httpStatus, failure },
    }))
  }
  const find = async (id: string) => (await select(id))[0] ?? null

  return {
    create: ({ id, url, events, description, secret }, max) => sql.wrote<'createWebhook'>`
      INSERT INTO webhooks (id, url, events, description, secret)
      SELECT ${id}::uuid, ${url}, ${events}::text[], ${description}, ${secret}
      WHERE (SELECT count(*) FROM webhooks) < ${max}::int`,

    list: () => select(),

    find,

    async update(id, { url, events, description, active }, { actor, address }) {
      const data = {
        url,
        events,
        description,
        active,
        ...(active === true && { endedAt: null, failingSince: null }),
      }
      const found = await db.transaction(async (tx, sql) => {
        const before = await tx.webhook.findUnique({ where: { id } })
        if (!before) return false
        await tx.webhook.update({ where: { id }, data })
        const old = {
          url: before.url,
          events: before.events.join(' '),
          description: before.description,
          active: before.active,
        }
        for (const change of changedFields(old, { url, events: events?.join(' '), description, active })) {
          const details = change.field === 'url' ? withoutPaths(change) : change
          await addAudit(sql, { action: 'webhook.changed', actor, subjectId: id, address, details })
        }
        return true
      })
      return found ? find(id) : null
    },

    delete: async (id) => (await webhook.deleteMany({ where: { id } })).count === 1,
  }
}

/** Keeps only the origins of URLs, because paths and queries of webhooks often contain a secret. */
const withoutPaths = <Change extends { old: unknown; new: unknown }>(change: Change) => ({
  ...change,
  old: new URL(String(change.old)).origin,
  new: new URL(String(change.new)).origin,
})
