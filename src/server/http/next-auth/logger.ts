import type { LoggerInstance } from 'next-auth'
import type { Logger } from '../../log.ts'

/** Expired sessions and cancelled provider sign-ins are normal, though next-auth reports them as errors. */
const EXPECTED = new Set(['JWT_SESSION_ERROR', 'OAUTH_CALLBACK_ERROR', 'OAUTH_CALLBACK_HANDLER_ERROR'])

/** Writes next-auth's messages to our log, without their metadata: it holds profiles, tokens and client secrets. */
export function loggerFor(log: Logger): Partial<LoggerInstance> {
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
