import { Gauge, type Registry } from 'prom-client'

/** The counters of a pg.Pool. */
export type PoolView = { totalCount: number; idleCount: number; waitingCount: number }

/** Broadcast chunks: due now, leased by a replica, or waiting for a retry; and messages that wait for `sendAt`. */
export type QueueDepth = { due: number; leased: number; waiting: number; scheduled: number }

/** Files whose cleanup in the store keeps failing, and the quota that they hold. */
export type CleanupFailures = { files: number; bytes: number }

/** Bytes of all users. */
export type StorageView = { used: number; reserved: number; ceiling: number }

/** Deliveries to webhooks that wait, the age of the oldest, and how many webhooks fail. */
export type WebhookBacklog = { pending: number; oldestSeconds: number; failing: number }

/** A slow database must not delay the metrics that show it. */
const READ_MS = 2_000

/** Gauges that are read whenever the metrics are requested. */
export function createGauges(registry: Registry) {
  const pools = new Map<string, PoolView>()
  let upstreams: readonly string[] = []
  let readOpenBreakers: (() => Promise<readonly string[]>) | undefined
  let readStorage: (() => Promise<StorageView>) | undefined
  let readQueue: (() => Promise<QueueDepth>) | undefined
  let readFailures: (() => Promise<CleanupFailures>) | undefined
  let readWebhooks: (() => Promise<WebhookBacklog>) | undefined

  new Gauge({
    name: 'pigeonhole_db_pool_connections',
    help: 'Connections of each pool (busy, idle) and requests waiting for one.',
    labelNames: ['pool', 'state'],
    registers: [registry],
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
        this.set({ pool, state: 'busy' }, totalCount - idleCount)
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })
  const scheduledMessages = new Gauge({
    name: 'pigeonhole_push_scheduled_messages',
    help: 'Messages that wait for sendAt, of all replicas.',
    registers: [registry],
  })
  new Gauge({
    name: 'pigeonhole_push_chunks',
    help: 'Broadcast chunks still to do, of all replicas. Missing while the database is down.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      const depth = await bounded(readQueue?.())
      if (!depth) return
      const { scheduled, ...chunks } = depth
      for (const [state, count] of Object.entries(chunks)) this.set({ state }, count)
      scheduledMessages.set(scheduled)
    },
  })

  for (const [unit, what] of [
    ['files', 'Files whose cleanup in the store fails, of all replicas.'],
    ['bytes', 'Bytes of quota that files hold whose cleanup in the store fails.'],
  ] as const)
    new Gauge({
      name: `pigeonhole_cleanup_failing_${unit}`,
      help: `${what} Missing while the database is down.`,
      registers: [registry],
      async collect() {
        // Without labels a reset would mean 0, not missing.
        this.remove()
        const failures = await bounded(readFailures?.())
        if (failures) this.set(failures[unit])
      },
    })
  new Gauge({
    name: 'pigeonhole_push_circuit_open',
    help: "1 while an upstream's circuit breaker is open, for all replicas. Missing while the database is down.",
    labelNames: ['upstream'],
    registers: [registry],
    async collect() {
      this.reset()
      const open = await bounded(readOpenBreakers?.())
      if (open) for (const upstream of upstreams) this.set({ upstream }, open.includes(upstream) ? 1 : 0)
    },
  })
  new Gauge({
    name: 'pigeonhole_storage_bytes',
    help: 'Bytes of all users (used, reserved) and TOTAL_STORAGE_BYTES (ceiling). Missing without it.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      this.reset()
      const storage = await bounded(readStorage?.())
      if (storage) for (const [kind, bytes] of Object.entries(storage)) this.set({ kind }, bytes)
    },
  })

  for (const [name, field, help] of [
    ['pigeonhole_webhook_pending', 'pending', 'Deliveries to webhooks that wait, of all replicas.'],
    ['pigeonhole_webhook_oldest_pending_seconds', 'oldestSeconds', 'Age of the oldest of them.'],
    ['pigeonhole_webhooks_failing', 'failing', 'Webhooks whose last attempt failed.'],
  ] as const)
    new Gauge({
      name,
      help: `${help} Missing while the database is down.`,
      registers: [registry],
      async collect() {
        this.remove()
        const view = await bounded(readWebhooks?.())
        if (view) this.set(view[field])
      },
    })

  return {
    watchWebhooks(read: () => Promise<WebhookBacklog>): void {
      readWebhooks = shared(read)
    },
    watchCircuitBreakers(names: readonly string[], readOpen: () => Promise<readonly string[]>): void {
      upstreams = names
      readOpenBreakers = readOpen
    },
    watchPool(name: string, view: PoolView): void {
      pools.set(name, view)
    },
    watchCleanup(read: () => Promise<CleanupFailures>): void {
      readFailures = read
    },
    watchStorage(read: () => Promise<StorageView>): void {
      readStorage = read
    },
    watchQueue(read: () => Promise<QueueDepth>): void {
      readQueue = read
    },
  }
}

/** One read for all that ask while it is under way. */
function shared<T>(read: () => Promise<T>): () => Promise<T> {
  let reading: Promise<T> | undefined
  return () => {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }
}

/** The result of `work`, or undefined when it fails or takes too long. */
export async function bounded<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  if (!work) return undefined
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, READ_MS, undefined).unref())
  // The readiness check and every other user of the database log the error.
  return Promise.race([work.catch(() => undefined), late])
}
