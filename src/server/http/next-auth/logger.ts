import type { LoggerInstance } from 'next-auth'
import type { Log } from '../../telemetry/log.ts'

/** Ended sessions and cancelled provider sign-ins are daily life; next-auth calls all of it errors. */
const EXPECTED = new Set(['JWT_SESSION_ERROR', 'OAUTH_CALLBACK_ERROR', 'OAUTH_CALLBACK_HANDLER_ERROR'])

/** next-auth's messages in our log, without its metadata: that holds profiles, tokens and client secrets. */
export function loggerFor(log: Log): Partial<LoggerInstance> {
  return {
    error(code, metadata) {
      const err = metadata instanceof Error ? metadata : metadata.error
      if (EXPECTED.has(code)) log.info({ code, reason: err?.message }, 'next-auth')
      else log.error({ code, err }, 'next-auth')
    },
    warn: (code) => log.debug({ code }, 'next-auth'),
    debug: () => {},
  }
}
