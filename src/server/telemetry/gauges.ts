import { Gauge, type Registry } from 'prom-client'

/** A pg.Pool, as far as it is looked at. */
export type PoolView = { totalCount: number; idleCount: number; waitingCount: number }

/** Pieces of broadcasts: to be taken now, in some replica's hands, or to be tried again later. */
export type QueueDepth = { due: number; leased: number; waiting: number }

/** A database that is slow must not make the metrics of its slowness late. */
const READ_MS = 2_000

/** What is looked at when somebody asks for the metrics. */
export function createGauges(registry: Registry) {
  const pools = new Map<string, PoolView>()
  let readQueue: (() => Promise<QueueDepth>) | undefined

  new Gauge({
    name: 'pigeonhole_db_pool_connections',
    help: 'Connections of each pool: busy, idle; and requests waiting for one.',
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
  new Gauge({
    name: 'pigeonhole_push_chunks',
    help: 'Pieces of broadcasts still to do, of all replicas; missing while the database is away.',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      this.reset()
      const depth = await bounded(readQueue?.())
      if (depth) for (const [state, count] of Object.entries(depth)) this.set({ state }, count)
    },
  })

  return {
    watchPool(name: string, view: PoolView): void {
      pools.set(name, view)
    },
    watchQueue(read: () => Promise<QueueDepth>): void {
      readQueue = read
    },
  }
}

/** What `work` gives, or undefined when it fails or takes too long. */
export async function bounded<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  if (!work) return undefined
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, READ_MS, undefined).unref())
  // The fault itself is in the log: of the readiness check, and of whatever else uses the database.
  return Promise.race([work.catch(() => undefined), late])
}
