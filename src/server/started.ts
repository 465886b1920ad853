import type { Services } from './container.ts'

// A module of its own, so that the launcher does not load the whole server a second time beside Next's bundle.
const STARTED = Symbol.for('pigeonhole.started')
const shared = globalThis as { [STARTED]?: PromiseWithResolvers<Services> }

/** For the launcher: resolves when instrumentation has started the services, rejects if it failed. */
export function whenStarted(): Promise<Services> {
  shared[STARTED] ??= Promise.withResolvers()
  return shared[STARTED].promise
}

/** For instrumentation: starts the services and reports the outcome to the launcher. */
export async function reportStart(start: () => Promise<Services>): Promise<void> {
  shared[STARTED] ??= Promise.withResolvers()
  await start().then(shared[STARTED].resolve, shared[STARTED].reject)
}
