import type { Services } from '../api/services.ts'
import type { AppServices } from './build-services.ts'

// On `globalThis`, because Next's bundle has its own copy of this module.
const SERVICES = Symbol.for('pigeonhole.services')
const shared = globalThis as { [SERVICES]?: Promise<AppServices> }

/** Returns the services of this process, which `npm start` or Next's instrumentation has started. */
export function getServices(): Promise<Services> {
  return (
    shared[SERVICES] ??
    Promise.reject(
      new Error(
        'The services of this process have not been started. Use npm start, or run Next with its instrumentation.',
      ),
    )
  )
}

/** Starts the services of this process with `start`, unless they are already started. */
export const shareServices = (start: () => Promise<AppServices>) => (shared[SERVICES] ??= start())

/** Returns true once `shareServices` has been called in this process. */
export const areServicesShared = () => shared[SERVICES] !== undefined
