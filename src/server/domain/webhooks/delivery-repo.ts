import type { DeliveryStatus, DeliveryType, DeliveryView } from './schema.ts'

/** A webhook with deliveries that are due. `failing`: its last attempt failed. */
export type DueWebhook = { id: string; failing: boolean }

/** A delivery that this process has leased, with the current URL and secret of its webhook. */
export type LeasedDelivery = {
  id: string
  url: string
  secret: string
  type: DeliveryType
  data: Record<string, unknown>
  sequence: number
  createdAt: Date
  /** Earlier attempts since the delivery was created or redelivered. */
  attempts: number
  /** Milliseconds until the delivery fails permanently; negative if it has expired. */
  expiresInMs: number
}

/** Result of an attempt. `retryInMs`: null if there is no further attempt. */
export type AttemptResult = {
  id: string
  delivered: boolean
  httpStatus: number | null
  failure: string | null
  durationMs: number
  retryInMs: number | null
}

type DeliveryPage = { before: number | undefined; status: DeliveryStatus | undefined; limit: number }

export type DeliveryRepo = {
  /** Returns the active webhooks that have deliveries due. */
  due(): Promise<DueWebhook[]>
  /** Leases up to `limit` due deliveries of an active webhook, longest due first. */
  claim(webhookId: string, leaseId: string, limit: number, leaseMs: number): Promise<LeasedDelivery[]>
  /**
   * Stores the results of leased deliveries, and whether the webhook is failing. Returns how many milliseconds it had
   * been failing, or null if it was not.
   */
  record(webhookId: string, leaseId: string, results: AttemptResult[]): Promise<number | null>
  /** Makes deliveries that wait for a retry due now. */
  makeDue(webhookId: string): Promise<void>
  /**
   * Deactivates the webhook and fails its pending deliveries. If it has another URL by now, makes `deliveryIds` due
   * now instead. Returns true if the webhook was ended.
   */
  end(webhookId: string, url: string, deliveryIds: string[], failure: string): Promise<boolean>
  /** Releases deliveries that were leased but not recorded. */
  release(leaseId: string, webhookIds: string[]): Promise<void>

  /** Newest first. */
  list(webhookId: string, page: DeliveryPage): Promise<DeliveryView[]>
  /** Adds a delivery of a test event that is due now. */
  addTest(webhookId: string, type: DeliveryType, data: Record<string, unknown>): Promise<DeliveryView>
  /** Makes a delivery pending and due for another 72 hours. Returns null if it does not exist. */
  redeliver(webhookId: string, id: string): Promise<DeliveryView | null>

  /** Fails up to `limit` expired deliveries and returns how many. */
  failExpired(failure: string, limit: number): Promise<number>
  /** Deletes up to `limit` settled deliveries and returns how many. Failed ones are kept longer. */
  deleteOld(times: { deliveredBefore: Date; failedBefore: Date }, limit: number): Promise<number>
  /** Deletes up to `limit` deliveries of deleted webhooks and returns how many. */
  deleteOrphaned(limit: number): Promise<number>
}
