import { AppError } from '../errors.ts'
import { isId, newId } from '../ids.ts'
import type { DeliveryRepo, DeliveryView, UrlRules, WebhookRepo, WebhookView } from './ports.ts'
import type { CreateWebhookInput, ListDeliveriesInput, UpdateWebhookInput } from './schema.ts'
import { newSecret } from './signature.ts'

/** Every event is copied for each webhook that wants it. */
export const MAX_WEBHOOKS = 100

export type WebhooksDeps = { webhooks: WebhookRepo; deliveries: DeliveryRepo; urls: UrlRules }

/** What an administrator does with webhooks. */
export function createWebhooks({ webhooks, deliveries, urls }: WebhooksDeps) {
  /** @throws AppError BAD_REQUEST */
  function checkUrl(url: string): void {
    const { protocol, hostname } = new URL(url)
    if (protocol !== 'https:' && !urls.allowHttp)
      throw wrongUrl('must be an https URL. Plain http needs WEBHOOKS_ALLOW_PRIVATE=true')
    if (urls.isForbiddenHost(hostname))
      throw wrongUrl('must have a public address. Private ones need WEBHOOKS_ALLOW_PRIVATE=true')
  }

  /** @throws AppError NOT_FOUND */
  async function find(id: string): Promise<WebhookView> {
    const webhook = isId(id) ? await webhooks.find(id) : null
    if (!webhook) throw noSuchWebhook()
    return webhook
  }

  return {
    find,
    list: () => webhooks.list(),

    /**
     * Only this answer has the secret.
     * @throws AppError BAD_REQUEST, CONFLICT: there are too many
     */
    async create(input: CreateWebhookInput): Promise<{ id: string; secret: string }> {
      checkUrl(input.url)
      const id = newId()
      const secret = newSecret()
      const { url, events, description = null } = input
      if (!(await webhooks.create({ id, url, events, description, secret }, MAX_WEBHOOKS)))
        throw new AppError('CONFLICT', `There are ${MAX_WEBHOOKS} webhooks already. Delete one first.`)
      return { id, secret }
    },

    /** @throws AppError BAD_REQUEST, NOT_FOUND */
    async update(id: string, change: UpdateWebhookInput): Promise<WebhookView> {
      if (change.url !== undefined) checkUrl(change.url)
      const webhook = isId(id) ? await webhooks.update(id, change) : null
      if (!webhook) throw noSuchWebhook()
      return webhook
    },

    /** @throws AppError NOT_FOUND */
    async delete(id: string): Promise<void> {
      if (!isId(id) || !(await webhooks.delete(id))) throw noSuchWebhook()
    },

    /**
     * Newest first.
     * @throws AppError NOT_FOUND, BAD_REQUEST: the cursor is not one of ours
     */
    async deliveries(
      id: string,
      { status, cursor, limit }: ListDeliveriesInput,
    ): Promise<{ items: DeliveryView[]; nextCursor: string | null }> {
      if (cursor !== undefined && !/^\d{1,15}$/.test(cursor))
        throw new AppError('BAD_REQUEST', 'The cursor is not the nextCursor of a page.', {
          fieldErrors: { cursor: ['must be the nextCursor of the page before'] },
        })
      await find(id)
      const before = cursor === undefined ? undefined : Number(cursor)
      const found = await deliveries.list(id, { before, status, limit: limit + 1 })
      const items = found.slice(0, limit)
      return { items, nextCursor: found.length > limit ? String(items.at(-1)!.sequence) : null }
    },

    /**
     * Sends it again, whatever came of it, under the same id.
     * @throws AppError NOT_FOUND, CONFLICT: the webhook is not active
     */
    async redeliver(id: string, deliveryId: string): Promise<DeliveryView> {
      const { active } = await find(id)
      if (!active)
        throw new AppError(
          'CONFLICT',
          'This webhook is not active. Activate it first: PATCH { "active": true }.',
        )
      const delivery = isId(deliveryId) ? await deliveries.redeliver(id, deliveryId) : null
      if (!delivery) throw new AppError('NOT_FOUND', 'This webhook has no delivery with this id.')
      return delivery
    },
  }
}

const noSuchWebhook = () => new AppError('NOT_FOUND', 'There is no webhook with this id.')

function wrongUrl(message: string): AppError {
  return new AppError('BAD_REQUEST', `url ${message}.`, { fieldErrors: { url: [message] } })
}
