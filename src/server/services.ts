import type { Services } from './container.ts'

// On `globalThis`, because what Next bundles has a copy of this module of its own.
const SERVICES = Symbol.for('pigeonhole.services')
const shared = globalThis as { [SERVICES]?: Promise<Services> }

/** The services of this process: `npm start`, or else Next's instrumentation, has started them. */
export function getServices(): Promise<Services> {
  return shared[SERVICES] ?? Promise.reject(new Error('The services of this process have not been started'))
}

/** Makes the services that `start` makes those of this process, unless it has some. */
export function shareServices(start: () => Promise<Services>): Promise<Services> {
  shared[SERVICES] ??= start()
  return shared[SERVICES]
}
