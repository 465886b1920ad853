import type { ObjectStore } from '../upload/ports.ts'

export type StoreCall = { operation: string; outcome: 'ok' | 'failed'; seconds: number }

type Call = (...args: unknown[]) => Promise<unknown>

/** Signing happens in this process. */
const LOCAL = new Set(['presignPut', 'presignParts', 'presignGet', 'close'])

/**
 * The store with every call over the network reported; what an absent object or a lost race is, is an answer: ok.
 * A fault that only leaves it unsure what was done is one here.
 */
export function watchStore<T extends ObjectStore>(store: T, onCall: (call: StoreCall) => void): T {
  const watched = Object.entries(store).map(([operation, call]) => [
    operation,
    LOCAL.has(operation) ? call : timed(operation, call as unknown as Call),
  ])
  return Object.fromEntries(watched) as T

  function timed(operation: string, call: Call): Call {
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
