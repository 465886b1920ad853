import { Gauge, type Registry } from 'prom-client'
import { shareRun } from '../../kernel/share-run.ts'
import { within } from '../../kernel/time-limit.ts'

/** Counters of a pg.Pool. */
type PoolView = { totalCount: number; idleCount: number; waitingCount: number }

/** Values that are read when metrics are requested. */
type Sources = {
  /** Broadcast chunks: due now, leased by a replica, or waiting for a retry. `scheduled`: messages waiting for `sendAt`. */
  queue(): Promise<{ due: number; leased: number; waiting: number; scheduled: number }>
  /** Files whose cleanup in the store keeps failing, and the quota they hold. */
  cleanup(): Promise<{ files: number; bytes: number }>
  /** 1 for each open circuit breaker, 0 for the others. */
  circuitBreakers(): Promise<Record<string, number>>
  /** Bytes of all users. */
  storage(): Promise<{ used: number; reserved: number; ceiling: number }>
  /** Pending webhook deliveries, the age of the oldest, and the number of failing webhooks. */
  webhooks(): Promise<{ pending: number; oldestSeconds: number; failing: number }>
}

/** A slow database must not delay the metrics that show it. */
const READ_MS = 2_000

/** Gauges that are read when metrics are requested. Their values are missing while the database is down. */
export function createGauges(registry: Registry) {
  const registers = [registry]
  const pools = new Map<string, PoolView>()
  const sources: { [name in keyof Sources]?: () => Promise<Record<string, number>> } = {}

  new Gauge({
    name: 'pigeonhole_db_pool_connections',
    help: 'Connections per pool (busy, idle) and calls waiting for one.',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, { totalCount, idleCount, waitingCount }] of pools) {
        this.set({ pool, state: 'busy' }, totalCount - idleCount)
        this.set({ pool, state: 'idle' }, idleCount)
        this.set({ pool, state: 'waiting' }, waitingCount)
      }
    },
  })

  /** Creates a gauge for one field of a source. */
  function gaugeOf(source: keyof Sources, field: string, name: string, help: string): void {
    const collect = async function (this: Gauge) {
      // A reset would set 0 instead of removing the value.
      this.remove()
      const values = await bounded(sources[source]?.())
      if (values) this.set(values[field]!)
    }
    new Gauge({ name, help: `${help} Missing while the database is down.`, registers, collect })
  }

  /** Creates a gauge with all fields of a source, except `omitted`, as values of a label. */
  function gaugeBy(source: keyof Sources, label: string, name: string, help: string, omitted?: string): void {
    const collect = async function (this: Gauge) {
      this.reset()
      for (const [value, number] of Object.entries((await bounded(sources[source]?.())) ?? {}))
        if (value !== omitted) this.set({ [label]: value }, number)
    }
    new Gauge({ name, help, labelNames: [label], registers, collect })
  }

  gaugeBy(
    'queue',
    'state',
    'pigeonhole_push_chunks',
    'Unfinished broadcast chunks, across all replicas. Missing while the database is down.',
    'scheduled',
  )
  gaugeOf('queue', 'scheduled', 'pigeonhole_push_scheduled_messages', 'Messages waiting for sendAt.')
  gaugeOf('cleanup', 'files', 'pigeonhole_cleanup_failing_files', 'Files whose cleanup in the store fails.')
  gaugeOf('cleanup', 'bytes', 'pigeonhole_cleanup_failing_bytes', 'Bytes of quota that these files hold.')
  gaugeBy(
    'circuitBreakers',
    'upstream',
    'pigeonhole_push_circuit_open',
    "1 while an upstream's circuit breaker is open. Missing while the database is down.",
  )
  gaugeBy(
    'storage',
    'kind',
    'pigeonhole_storage_bytes',
    'Bytes of all users (used, reserved) and TOTAL_STORAGE_BYTES (ceiling). Missing unless that is set.',
  )
  gaugeOf('webhooks', 'pending', 'pigeonhole_webhook_pending', 'Pending webhook deliveries.')
  gaugeOf(
    'webhooks',
    'oldestSeconds',
    'pigeonhole_webhook_oldest_pending_seconds',
    'Age of the oldest pending delivery.',
  )
  gaugeOf('webhooks', 'failing', 'pigeonhole_webhooks_failing', 'Webhooks whose last attempt failed.')

  return {
    watch(more: Partial<Sources>): void {
      for (const [name, read] of Object.entries(more)) sources[name as keyof Sources] = shareRun(read)
    },
    watchPool(name: string, view: PoolView): void {
      pools.set(name, view)
    },
  }
}

/** Returns the result of `work`, or undefined if it fails or takes too long. */
export async function bounded<T>(work: Promise<T> | undefined): Promise<T | undefined> {
  // The readiness check and other users of the database log the error.
  const unlessFailed = work?.catch(() => undefined)
  return unlessFailed && within(READ_MS, unlessFailed)
}
