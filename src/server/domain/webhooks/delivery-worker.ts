import { jittered } from '../../kernel/backoff.ts'
import type { Clock } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/log.ts'
import { createSweepRounds } from '../../kernel/sweep-rounds.ts'
import type { AttemptResult, DeliveryRepo, DueWebhook, LeasedDelivery } from './delivery-repo.ts'
import type { DeliveryType } from './schema.ts'
import { signedHeaders } from './signature.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

/** Longest wait after the first, second, ... failed attempt; the last one repeats. */
const DELAYS_MS = [5_000, 30_000, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR]

/** The receiver's HTTP status, or why there was no response. */
type PostResult = { status: number } | { failure: string }

/** Sends one POST request without retries; follows no redirects. */
export type Post = (
  request: { url: string; headers: Record<string, string>; body: string },
  signal: AbortSignal,
) => Promise<PostResult>

type DeliveryWorkerDeps = {
  deliveries: DeliveryRepo
  post: Post
  clock: Clock
  log: Logger
  /** Adds data that only this process has, such as the URL of a file. */
  complete?: (type: DeliveryType, data: Record<string, unknown>) => Promise<Record<string, unknown>>
  onAttempt?: (outcome: 'delivered' | 'retry' | 'failed', seconds: number) => void
  /** Interval between checks for deliveries that are due. */
  pollMs?: number
}

/** Concurrent deliveries to one webhook. While it fails, the worker sends one at a time. */
const BATCH_SIZE = 20
/** Longer than an attempt takes. */
const LEASE_MS = 30_000
/** When a webhook succeeds after failing for this long, all its waiting deliveries become due. */
const RECOVERY_MS = 300_000
const GONE = 410

/**
 * Delivers events in every replica. Each webhook has its own delivery queue, so a dead or slow receiver does not
 * delay the others. A lease holds a delivery during an attempt; if the process dies, the delivery becomes due again
 * with the same ID.
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps) {
  const { deliveries, post, clock, log, complete = async (_, data) => data, pollMs = 500 } = deps
  const leaseId = newId()
  /** By webhook ID. */
  const queues = new Map<string, Promise<void>>()
  const interrupt = new AbortController()
  let stopping = false

  const rounds = createSweepRounds({
    everyMs: pollMs,
    firstMs: 0,
    async work() {
      for (const webhook of await deliveries.due()) if (!queues.has(webhook.id)) startQueue(webhook)
    },
    onError: (err) => log.warn({ err }, 'could not look for webhook deliveries'),
  })

  function startQueue(webhook: DueWebhook): void {
    const queue = deliverDue(webhook)
      // The leases expire, then this or another replica tries again.
      .catch((error: unknown) => log.warn({ err: error, webhookId: webhook.id }, 'webhook deliveries failed'))
      .finally(() => queues.delete(webhook.id))
    queues.set(webhook.id, queue)
  }

  async function deliverDue({ id: webhookId, failing }: DueWebhook): Promise<void> {
    let limit = failing ? 1 : BATCH_SIZE
    while (!stopping) {
      const leased = await deliveries.claim(webhookId, leaseId, limit, LEASE_MS)
      const attempts = await Promise.all(leased.map(attempt))
      const results = attempts.filter((result) => result !== null)
      if (results.length === 0) return
      const failingMs = await deliveries.record(webhookId, leaseId, results)
      const gone = results.filter(({ httpStatus }) => httpStatus === GONE).map(({ id }) => id)
      if (gone.length > 0) {
        const failure = 'the receiver ended the subscription (410)'
        // All deliveries of a claim have the same URL.
        if (await deliveries.end(webhookId, leased[0]!.url, gone, failure))
          log.info({ webhookId }, 'webhook ended: its receiver responded with 410')
        return
      }
      const hasSucceeded = results.some(({ delivered }) => delivered)
      if (hasSucceeded && failingMs !== null && failingMs > RECOVERY_MS) await deliveries.makeDue(webhookId)
      limit = hasSucceeded ? BATCH_SIZE : 1
    }
  }

  /** Returns null if the end of this process interrupted the attempt. */
  async function attempt(delivery: LeasedDelivery): Promise<AttemptResult | null> {
    const start = performance.now()
    const response = await send(delivery)
    if (interrupt.signal.aborted && 'failure' in response) return null
    const durationMs = Math.round(performance.now() - start)
    const result = resultOf(delivery, response, durationMs)
    const isGivenUp = result.retryInMs === null || result.httpStatus === GONE
    const outcome = result.delivered ? 'delivered' : isGivenUp ? 'failed' : 'retry'
    deps.onAttempt?.(outcome, durationMs / 1000)
    return result
  }

  async function send({
    id,
    url,
    secret,
    type,
    sequence,
    createdAt,
    data,
  }: LeasedDelivery): Promise<PostResult> {
    let completed: Record<string, unknown>
    try {
      completed = await complete(type, data)
    } catch (err) {
      // Without this, the results of the other deliveries of the claim would be lost, and all would be sent again.
      log.warn({ err, deliveryId: id }, 'could not prepare a webhook delivery')
      return { failure: 'the event could not be prepared' }
    }
    const body = JSON.stringify({ type, timestamp: createdAt.toISOString(), sequence, data: completed })
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Pigeonhole-Webhooks',
      ...signedHeaders(secret, id, clock.now(), body),
    }
    return post({ url, headers, body }, interrupt.signal)
  }

  return {
    start: rounds.start,

    /** Waits up to `timeoutMs` for attempts in flight, then releases the rest for other replicas to repeat. */
    async stop(timeoutMs: number): Promise<void> {
      stopping = true
      const timer = setTimeout(() => interrupt.abort(), timeoutMs)
      const webhookIds = [...queues.keys()]
      await rounds.close()
      await Promise.all(queues.values())
      clearTimeout(timer)
      if (webhookIds.length > 0)
        await deliveries
          .release(leaseId, webhookIds)
          .catch((error: unknown) => log.warn({ err: error }, 'could not release webhook deliveries'))
    },
  }
}

function resultOf(
  { id, attempts, expiresInMs }: LeasedDelivery,
  response: PostResult,
  durationMs: number,
): AttemptResult {
  const httpStatus = 'status' in response ? response.status : null
  const failure = 'failure' in response ? response.failure : failureOf(response.status)
  const delivered = failure === null
  // After 410 `end` fails it, unless the webhook has another URL by then.
  const isFinal = delivered || expiresInMs <= 0
  const delayMs = jittered(DELAYS_MS[attempts] ?? DELAYS_MS.at(-1)!)
  // The last attempt starts when the delivery expires.
  const retryInMs = isFinal ? null : Math.min(delayMs, expiresInMs)
  return { id, delivered, httpStatus, failure, durationMs, retryInMs }
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return `answered ${status}${status >= 300 && status < 400 ? ': redirects are not followed' : ''}`
}
