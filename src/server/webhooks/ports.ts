import type { DELIVERY_STATUSES, EventType, UpdateWebhookInput } from './schema.ts'

// Glossary.
// Webhook: a URL that is told of events of some types.
// Event: a fact about a file, a push or a device. Triggers write it in the transaction of the fact.
// Delivery: an event for one webhook, until it is delivered or has failed for good.

export type WebhookView = {
  id: string
  url: string
  events: EventType[]
  description: string | null
  active: boolean
  createdAt: Date
  /** When the receiver answered 410. */
  endedAt: Date | null
  /** Since when all attempts have failed. */
  failingSince: Date | null
}

export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]

export type DeliveryView = {
  /** Of the event: what the receiver gets as webhook-id. */
  id: string
  type: EventType
  sequence: number
  status: DeliveryStatus
  attempts: number
  createdAt: Date
  lastAttemptAt: Date | null
  /** Null: there will be none. */
  nextAttemptAt: Date | null
  httpStatus: number | null
  failure: string | null
}

export type NewWebhook = Pick<WebhookView, 'id' | 'url' | 'events' | 'description'> & { secret: string }

export type WebhookRepo = {
  /** False: there are `max` already. */
  create(webhook: NewWebhook, max: number): Promise<boolean>
  list(): Promise<WebhookView[]>
  find(id: string): Promise<WebhookView | null>
  /** Null: no such webhook. Activating it clears `endedAt`. */
  update(id: string, change: UpdateWebhookInput): Promise<WebhookView | null>
  /** Its deliveries stay until the next retention. False: no such webhook. */
  delete(id: string): Promise<boolean>
}

/** A webhook with deliveries that are due. */
export type DueWebhook = { id: string /** Its last attempt failed. */; failing: boolean }

/** A delivery that this process has leased, with the address and secret that its webhook has now. */
export type LeasedDelivery = {
  id: string
  url: string
  secret: string
  type: EventType
  data: Record<string, unknown>
  sequence: number
  createdAt: Date
  /** Attempts before this one. */
  attempts: number
  /** Until it has failed for good; negative: over. */
  expiresInMs: number
}

/** What came of an attempt. `retryInMs` null: delivered or given up. */
export type AttemptResult = {
  id: string
  delivered: boolean
  httpStatus: number | null
  failure: string | null
  retryInMs: number | null
}

export type DeliveryPage = { before: number | undefined; status: DeliveryStatus | undefined; limit: number }

export type DeliveryRepo = {
  /** Active webhooks that have deliveries due. */
  due(): Promise<DueWebhook[]>
  /** Leases up to `limit` due deliveries of an active webhook, those that are due longest first. */
  claim(webhookId: string, leaseId: string, limit: number, leaseMs: number): Promise<LeasedDelivery[]>
  /**
   * Stores the results of leased deliveries, and whether the webhook is failing. Returns for how long it had been
   * before, in milliseconds; null: it was not.
   */
  record(webhookId: string, leaseId: string, results: AttemptResult[]): Promise<number | null>
  /** Makes what waits for a retry due now: the receiver is back. */
  makeDue(webhookId: string): Promise<void>
  /** Ends the subscription: the webhook is no longer active, and what is pending has failed. */
  end(webhookId: string, failure: string): Promise<void>
  /** Gives back what was leased and not recorded. */
  release(leaseId: string, webhookIds: string[]): Promise<void>

  /** Newest first. */
  list(webhookId: string, page: DeliveryPage): Promise<DeliveryView[]>
  /** Makes it pending and due with a new limit of 72 hours; null: no such delivery. */
  redeliver(webhookId: string, id: string): Promise<DeliveryView | null>

  /** Fails up to `limit` deliveries whose time is over; returns how many. */
  failExpired(failure: string, limit: number): Promise<number>
  /** Deletes up to `limit` settled deliveries, and those of deleted webhooks; returns how many. */
  deleteOld(times: { deliveredBefore: Date; failedBefore: Date }, limit: number): Promise<number>
}

/** The receiver's answer, or why there is none. */
export type Answer = { status: number } | { failure: string }

/** One POST without retries; follows no redirects. */
export type Post = (
  request: { url: string; headers: Record<string, string>; body: string },
  signal: AbortSignal,
) => Promise<Answer>

/** Which hosts a webhook may have. */
export type UrlRules = {
  /** Also plain http. */
  allowHttp: boolean
  /** Whether the host is an IP address that must not be called. */
  isForbiddenHost(hostname: string): boolean
}
