import type { Trace } from '../trace.ts'
import type { ObjectStore } from '../upload/ports.ts'

export type StoreCall = { operation: string; outcome: 'ok' | 'failed'; seconds: number }

type Call = (...args: unknown[]) => Promise<unknown>

/** Operations without a network call. */
const LOCAL = new Set(['presignPut', 'presignParts', 'presignGet', 'interrupt', 'close'])

/**
 * Wraps the store and reports every network call. A missing object or a lost race counts as ok; an `unsure` outcome
 * counts as failed.
 */
export function watchStore<T extends ObjectStore>(
  store: T,
  onCall: (call: StoreCall) => void,
  trace?: Trace,
): T {
  const watched = Object.entries(store).map(([operation, call]) => [
    operation,
    LOCAL.has(operation) ? call : timed(operation, call as unknown as Call),
  ])
  return Object.fromEntries(watched) as T

  function timed(operation: string, call: Call): Call {
    const measured = measure(operation, call)
    if (!trace) return measured
    const attributes = { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': operation }
    return (...args) => trace.call(`S3 ${operation}`, attributes, () => measured(...args))
  }

  function measure(operation: string, call: Call): Call {
    return async (...args: unknown[]) => {
      const startedAt = performance.now()
      let outcome: StoreCall['outcome'] = 'failed'
      try {
        const result = await call(...args)
        if ((result as { outcome?: unknown } | null)?.outcome !== 'unsure') outcome = 'ok'
        return result
      } finally {
        onCall({ operation, outcome, seconds: (performance.now() - startedAt) / 1000 })
      }
    }
  }
}
