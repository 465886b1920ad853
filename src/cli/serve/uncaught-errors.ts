import type { createLog } from '../../server/adapters/telemetry/log.ts'

type Serving = {
  /** Returns false once this process can no longer serve. */
  canServe(): boolean
  onError(kind: 'exception' | 'rejection'): void
}

/**
 * Logs uncaught errors. Before `serving` is called, and when it can no longer serve, an exception ends the
 * process. Otherwise it continues: one socket's error must not fail everyone's requests (decision 044).
 */
export function watchUncaughtErrors(log: ReturnType<typeof createLog>) {
  let state: Serving = { canServe: () => false, onError: () => {} }
  process.on('uncaughtException', (error) => {
    if (!state.canServe()) {
      log.fatal({ err: error }, 'uncaught exception')
      process.exit(1)
    }
    log.error({ err: error }, 'uncaught exception; the server continues')
    state.onError('exception')
  })
  process.on('unhandledRejection', (error) => {
    log.error({ err: error }, 'unhandled rejection')
    state.onError('rejection')
  })
  return {
    serving(now: Serving): void {
      state = now
    },
  }
}
