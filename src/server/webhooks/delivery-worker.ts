import type { Clock } from '../clock.ts'
import { newId } from '../ids.ts'
import type { Logger } from '../log.ts'
import type { Answer, AttemptResult, DeliveryRepo, DueWebhook, LeasedDelivery, Post } from './ports.ts'
import { retryDelayMs } from './retry-delay.ts'
import type { EventType } from './schema.ts'
import { signedHeaders } from './signature.ts'

export type AttemptOutcome = 'delivered' | 'retry' | 'failed'

export type DeliveryWorkerDeps = {
  deliveries: DeliveryRepo
  post: Post
  clock: Clock
  log: Logger
  /** Adds what only this process knows, such as the URL of a file. */
  complete?: (type: EventType, data: Record<string, unknown>) => Record<string, unknown>
  onAttempt?: (outcome: AttemptOutcome, seconds: number) => void
  /** How often to look for webhooks with deliveries that are due. */
  pollMs?: number
}

/** Deliveries to one webhook at a time. While it fails only one is tried, so that a dead receiver costs little. */
const BATCH_SIZE = 20
/** Longer than an attempt takes. */
const LEASE_MS = 30_000
/** After a webhook has failed for this long, its first success makes everything due that waits. */
const RECOVERY_MS = 300_000
const GONE = 410

/**
 * Delivers events; any number of replicas do so side by side. Every webhook with something due has its own lane, so
 * that a receiver that is dead or slow delays no other. A lease holds a delivery for the time of an attempt; if the
 * process dies, it becomes due again, with the same id.
 */
export function createDeliveryWorker(deps: DeliveryWorkerDeps) {
  const { deliveries, post, clock, log, complete = (_, data) => data, pollMs = 500 } = deps
  const leaseId = newId()
  const lanes = new Map<string, Promise<void>>()
  const interrupt = new AbortController()
  const stopped = Promise.withResolvers<void>()
  let stopping = false
  let loop: Promise<void> | undefined

  async function run(): Promise<void> {
    while (!stopping) {
      try {
        for (const webhook of await deliveries.due()) if (!lanes.has(webhook.id)) open(webhook)
      } catch (error) {
        log.warn({ err: error }, 'could not look for webhook deliveries')
      }
      await Promise.race([stopped.promise, sleepUnref(pollMs)])
    }
  }

  function open(webhook: DueWebhook): void {
    const lane = deliver(webhook)
      // The leases run out, and this or another replica tries again.
      .catch((error: unknown) => log.warn({ err: error, webhookId: webhook.id }, 'webhook deliveries failed'))
      .finally(() => lanes.delete(webhook.id))
    lanes.set(webhook.id, lane)
  }

  /** Until nothing is due. */
  async function deliver({ id: webhookId, failing }: DueWebhook): Promise<void> {
    let limit = failing ? 1 : BATCH_SIZE
    while (!stopping) {
      const leased = await deliveries.claim(webhookId, leaseId, limit, LEASE_MS)
      if (leased.length === 0) return
      const attempts = await Promise.all(leased.map(attempt))
      const results = attempts.filter((result) => result !== null)
      if (results.length === 0) return
      const failingMs = await deliveries.record(webhookId, leaseId, results)
      if (results.some(({ httpStatus }) => httpStatus === GONE)) {
        log.info({ webhookId }, 'webhook ended: its receiver answered 410')
        return deliveries.end(webhookId, 'the receiver ended the subscription (410)')
      }
      const isBack = results.some(({ delivered }) => delivered)
      if (isBack && failingMs !== null && failingMs > RECOVERY_MS) await deliveries.makeDue(webhookId)
      limit = isBack ? BATCH_SIZE : 1
    }
  }

  /** Null: interrupted by the end of this process. */
  async function attempt(delivery: LeasedDelivery): Promise<AttemptResult | null> {
    const { id, url, secret, type, sequence, createdAt, data } = delivery
    const body = JSON.stringify({
      type,
      timestamp: createdAt.toISOString(),
      sequence,
      data: complete(type, data),
    })
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Pigeonhole-Webhooks',
      ...signedHeaders(secret, id, clock.now(), body),
    }
    const start = performance.now()
    const answer = await post({ url, headers, body }, interrupt.signal)
    if (interrupt.signal.aborted && 'failure' in answer) return null
    const result = resultOf(delivery, answer)
    const outcome = result.delivered ? 'delivered' : result.retryInMs === null ? 'failed' : 'retry'
    deps.onAttempt?.(outcome, (performance.now() - start) / 1000)
    return result
  }

  return {
    start(): void {
      loop = run()
    },

    /** Attempts in flight have `timeoutMs` to end; what then is left is given back, and another replica repeats it. */
    async stop(timeoutMs: number): Promise<void> {
      stopping = true
      stopped.resolve()
      const timer = setTimeout(() => interrupt.abort(), timeoutMs)
      const webhookIds = [...lanes.keys()]
      await loop
      await Promise.all(lanes.values())
      clearTimeout(timer)
      if (loop)
        await deliveries
          .release(leaseId, webhookIds)
          .catch((error: unknown) => log.warn({ err: error }, 'could not release webhook deliveries'))
    },
  }
}

function resultOf({ id, attempts, expiresInMs }: LeasedDelivery, answer: Answer): AttemptResult {
  const httpStatus = 'status' in answer ? answer.status : null
  const failure = 'failure' in answer ? answer.failure : failureOf(answer.status)
  const delivered = failure === null
  const isOver = delivered || httpStatus === GONE
  return {
    id,
    delivered,
    httpStatus,
    failure,
    retryInMs: isOver ? null : retryDelayMs(attempts + 1, expiresInMs),
  }
}

function failureOf(status: number): string | null {
  if (status >= 200 && status < 300) return null
  return `answered ${status}${status >= 300 && status < 400 ? ': redirects are not followed' : ''}`
}

/** Does not keep the process alive. */
function sleepUnref(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref())
}
