import { Prisma, type Webhook } from '../../../generated/prisma/client.ts'
import type { WebhookRepo, WebhookView } from '../../webhooks/ports.ts'
import type { EventType } from '../../webhooks/schema.ts'
import type { Db } from '../postgres/db.ts'

export function createWebhookRepo(db: Db): WebhookRepo {
  return {
    async create({ id, url, events, description, secret }, max) {
      const created = await db.sql.run`
        INSERT INTO webhooks (id, url, events, description, secret)
        SELECT ${id}::uuid, ${url}, ${events}::text[], ${description}, ${secret}
        WHERE (SELECT count(*) FROM webhooks) < ${max}::int`
      return created === 1
    },

    async list() {
      return (await db.webhook.findMany({ orderBy: { id: 'asc' } })).map(viewOf)
    },

    async find(id) {
      const webhook = await db.webhook.findUnique({ where: { id } })
      return webhook && viewOf(webhook)
    },

    async update(id, { url, events, active }) {
      const data = { url, events, active, ...(active === true && { endedAt: null, failingSince: null }) }
      try {
        return viewOf(await db.webhook.update({ where: { id }, data }))
      } catch (error) {
        if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2025') return null
        throw error
      }
    },

    async delete(id) {
      return (await db.webhook.deleteMany({ where: { id } })).count === 1
    },
  }
}

function viewOf({ secret: _, events, ...webhook }: Webhook): WebhookView {
  return { ...webhook, events: events as EventType[] }
}
