import type { AdminActor } from '../../kernel/audit.ts'
import { type Clock, daysAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId, newId } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import { type Page, readPage } from '../../kernel/page.ts'
import { createSweepRounds, runSteps } from '../../kernel/sweep-rounds.ts'
import type { DeliveryRepo } from './delivery-repo.ts'
import {
  type CreateWebhookInput,
  type DeliveryView,
  type ListDeliveriesInput,
  TEST_EVENT,
  type UpdateWebhookInput,
  type WebhookView,
} from './schema.ts'
import { newSecret } from './signature.ts'

// Glossary.
// Webhook: a URL that receives events of some types.
// Event: a change of a file, a push or a device. Triggers write it in the transaction of the change.
// Delivery: an event for one webhook, until it is delivered or fails permanently.

export type WebhookRepo = {
  /** Returns false if there are `max` webhooks already. */
  create(
    webhook: Pick<WebhookView, 'id' | 'url' | 'events' | 'description'> & { secret: string },
    max: number,
  ): Promise<boolean>
  list(): Promise<WebhookView[]>
  find(id: string): Promise<WebhookView | null>
  /** Returns null if the webhook does not exist. Activating it clears `endedAt`. */
  update(id: string, change: UpdateWebhookInput, by: AdminActor): Promise<WebhookView | null>
  /** Leaves its deliveries to the next sweep. Returns false if the webhook does not exist. */
  delete(id: string): Promise<boolean>
}

/** Limits storage, because every event is copied for each webhook that subscribes to it. */
const MAX_WEBHOOKS = 100

type WebhooksDeps = {
  webhooks: WebhookRepo
  deliveries: DeliveryRepo
  /** Rules for URLs. `isForbiddenHost` returns true for IP addresses that must not be called. */
  urls: { allowHttp: boolean; isForbiddenHost(hostname: string): boolean }
}

export type Webhooks = ReturnType<typeof createWebhooks>

/** Creates the use cases of administrators. All throw AppError NOT_FOUND if the webhook does not exist. */
export function createWebhooks({ webhooks, deliveries, urls }: WebhooksDeps) {
  /** @throws AppError BAD_REQUEST */
  function checkUrl(url: string): void {
    const { protocol, hostname } = new URL(url)
    if (protocol !== 'https:' && !urls.allowHttp)
      throw invalidUrl('must be an https URL. Plain http needs WEBHOOKS_ALLOW_PRIVATE=true')
    if (urls.isForbiddenHost(hostname))
      throw invalidUrl('must have a public address. Private addresses need WEBHOOKS_ALLOW_PRIVATE=true')
  }

  async function find(id: string): Promise<WebhookView> {
    const webhook = isId(id) ? await webhooks.find(id) : null
    if (!webhook) throw webhookNotFound()
    return webhook
  }

  async function requireActive(id: string): Promise<void> {
    const { active } = await find(id)
    if (!active)
      throw new AppError('CONFLICT', 'Webhook not active. Activate it first: PATCH { "active": true }.')
  }

  return {
    find,
    list: webhooks.list,

    /**
     * Returns the secret, which cannot be retrieved later.
     * @throws AppError BAD_REQUEST; CONFLICT if there are too many webhooks
     */
    async create(input: CreateWebhookInput): Promise<{ id: string; secret: string }> {
      const { url, events, description = null } = input
      checkUrl(url)
      const id = newId()
      const secret = newSecret()
      if (!(await webhooks.create({ id, url, events, description, secret }, MAX_WEBHOOKS)))
        throw new AppError('CONFLICT', `You can have at most ${MAX_WEBHOOKS} webhooks. Delete one first.`)
      return { id, secret }
    },

    /** @throws AppError BAD_REQUEST */
    async update(id: string, change: UpdateWebhookInput, admin: AdminActor): Promise<WebhookView> {
      if (change.url !== undefined) checkUrl(change.url)
      const webhook = isId(id) ? await webhooks.update(id, change, admin) : null
      if (!webhook) throw webhookNotFound()
      return webhook
    },

    async delete(id: string): Promise<void> {
      if (!isId(id) || !(await webhooks.delete(id))) throw webhookNotFound()
    },

    /** Returns a page of deliveries, newest first. @throws as `readPage` */
    deliveries(id: string, { status, ...page }: ListDeliveriesInput): Promise<Page<DeliveryView>> {
      return readPage(
        page,
        async ({ beforeId, limit }) => {
          await find(id)
          const before = beforeId === undefined ? undefined : Number(beforeId)
          return deliveries.list(id, { before, status, limit })
        },
        (cursor) => /^\d{1,15}$/.test(cursor),
        ({ sequence }) => String(sequence),
      )
    },

    /**
     * Sends the event `webhook.test`, signed and retried like any other.
     * @throws AppError CONFLICT if the webhook is not active
     */
    async sendTest(id: string): Promise<DeliveryView> {
      await requireActive(id)
      return deliveries.addTest(id, TEST_EVENT, { test: true })
    },

    /**
     * Sends an event again with the same ID, even if it was delivered.
     * @throws AppError CONFLICT if the webhook is not active
     */
    async redeliver(id: string, deliveryId: string): Promise<DeliveryView> {
      await requireActive(id)
      const delivery = isId(deliveryId) ? await deliveries.redeliver(id, deliveryId) : null
      if (!delivery) throw new AppError('NOT_FOUND', 'Delivery not found.')
      return delivery
    },
  }
}

const webhookNotFound = () => new AppError('NOT_FOUND', 'Webhook not found.')

function invalidUrl(message: string): AppError {
  return new AppError('BAD_REQUEST', `url ${message}.`, { fieldErrors: { url: [message] } })
}

const KEEP_DELIVERED_DAYS = 7
const KEEP_FAILED_DAYS = 30
const SWEEP_INTERVAL_MS = 600_000

type DeliverySweeperDeps = { deliveries: DeliveryRepo; clock: Clock; log: Logger }

/** Fails expired deliveries and deletes old ones, every ten minutes in every replica. */
export function createDeliverySweeper({ deliveries, clock, log }: DeliverySweeperDeps) {
  return createSweepRounds({
    everyMs: SWEEP_INTERVAL_MS,
    async work(inBatches) {
      const before = (days: number) => daysAfter(clock.now(), -days)
      const times = { deliveredBefore: before(KEEP_DELIVERED_DAYS), failedBefore: before(KEEP_FAILED_DAYS) }
      return runSteps({
        failed: () => inBatches((limit) => deliveries.failExpired('not delivered within 72 hours', limit)),
        deleted: () => inBatches((limit) => deliveries.deleteOld(times, limit)),
        orphaned: () => inBatches((limit) => deliveries.deleteOrphaned(limit)),
      })
    },
    onError: (err) => log.warn({ err }, 'could not clean up webhook deliveries'),
  })
}
