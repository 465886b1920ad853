import type { Observable } from './upload/types.ts'

/** State loaded from the server. */
export type LoadedSnapshot = Readonly<{
  /** `loading` until the first response. After an error, the loaded items stay. */
  status: 'loading' | 'ready' | 'error'
  /** Why the last call failed. Null after the next one succeeds. */
  error: Error | null
}>

/**
 * Holds a snapshot, and runs the steps that change it one after another. `observable` calls `start` at the first
 * subscription. After the last one ends, it calls the function that `start` returned.
 */
export function createLoadedState<S extends LoadedSnapshot>(initial: S) {
  const listeners = new Set<() => void>()
  const waiting = new Map<string, Promise<void>>()
  let snapshot = initial
  let last: Promise<void> = Promise.resolve()

  function publish(change: Partial<S>): void {
    snapshot = { ...snapshot, ...change }
    for (const listener of listeners) listener()
  }

  /** Runs steps one after another. Identical steps that have not started run once. Never rejects. */
  function run(name: string, step: () => Promise<Partial<S>>): Promise<void> {
    const known = waiting.get(name)
    if (known) return known
    const done = last.then(async () => {
      waiting.delete(name)
      try {
        publish({ ...(await step()), status: 'ready', error: null })
      } catch (error) {
        const cause = error instanceof Error ? error : new Error(String(error))
        publish({ status: 'error', error: cause } as Partial<S>)
      }
    })
    waiting.set(name, done)
    last = done
    return done
  }

  function observable(start: () => () => void): Observable<S> {
    let stop: (() => void) | undefined
    return {
      getSnapshot: () => snapshot,
      subscribe(listener) {
        if (listeners.size === 0) stop = start()
        listeners.add(listener)
        return () => {
          listeners.delete(listener)
          if (listeners.size === 0) stop?.()
        }
      },
    }
  }

  return { current: () => snapshot, publish, run, observable }
}
