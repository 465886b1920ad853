import type { ObjectStore } from '../../domain/uploads/object-store.ts'
import type { Trace } from '../../kernel/trace.ts'

export type StoreCall = { operation: string; outcome: 'ok' | 'failed'; seconds: number }

type Call = (...args: unknown[]) => Promise<unknown>

/** Operations without a network call. */
const LOCAL = new Set(['presignPut', 'presignParts', 'presignGet', 'interrupt', 'close'])

/** Wraps the store and reports every network call. Missing objects and lost races count as ok, `unsure` as failed. */
export function watchStore<T extends ObjectStore>(
  store: T,
  onCall: (call: StoreCall) => void,
  trace?: Trace,
): T {
  const calls = Object.entries(store).map(([operation, call]) => [
    operation,
    LOCAL.has(operation) ? call : watched(operation, call as unknown as Call),
  ])
  return Object.fromEntries(calls) as T

  function watched(operation: string, call: Call): Call {
    const measured: Call = async (...args) => {
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
    if (!trace) return measured
    const attributes = { 'rpc.system': 'aws-api', 'rpc.service': 'S3', 'rpc.method': operation }
    return (...args) => trace.call(`S3 ${operation}`, attributes, () => measured(...args))
  }
}
