import type { WebhookRepo } from '../../../domain/webhooks/webhooks.ts'
import { changedFields } from '../../../kernel/audit.ts'
import { addAudit } from '../accounts/audit-repo.ts'
import type { Db } from '../db.ts'

export function createWebhookRepo(db: Db): WebhookRepo {
  const { sql, webhook } = db
  const select = (id: string | null = null) => sql.rows<'listWebhooks'>`
    SELECT id, url, events, description, active, created_at AS "createdAt", ended_at AS "endedAt",
      failing_since AS "failingSince"
    FROM webhooks WHERE events IS NOT NULL AND (${id}::uuid IS NULL OR id = ${id}::uuid) ORDER BY id`
  const find = async (id: string) => (await select(id))[0] ?? null

  return {
    create: ({ id, url, events, description, secret }, max) => sql.wrote<'createWebhook'>`
      INSERT INTO webhooks (id, url, events, description, secret)
      SELECT ${id}::uuid, ${url}, ${events}::text[], ${description}, ${secret}
      WHERE (SELECT count(*) FROM webhooks) < ${max}::int`,

    list: () => select(),

    find,

    async update(id, { url, events, active }, { actor, address }) {
      const data = { url, events, active, ...(active === true && { endedAt: null, failingSince: null }) }
      const found = await db.transaction(async (tx, sql) => {
        const before = await tx.webhook.findUnique({ where: { id } })
        if (!before) return false
        await tx.webhook.update({ where: { id }, data })
        const old = { url: before.url, events: before.events.join(' '), active: before.active }
        for (const change of changedFields(old, { url, events: events?.join(' '), active })) {
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
