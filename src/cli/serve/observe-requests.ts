import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestSpan } from '../../server/adapters/telemetry/tracing.ts'
import type { AppServices } from '../../server/wiring/build-services.ts'

/** Load balancers call these paths every few seconds, so only failures are logged at the level info. */
const HEALTH_CHECKS = /^\/api\/health\//

type Observed = { path: string; route: string; requestId: string }

/** Returns a function that logs and measures a request. It returns the request's span if tracing is on. */
export function createObserver({ log, metrics, trace }: Pick<AppServices, 'log' | 'metrics' | 'trace'>) {
  return (
    { method = '', headers }: IncomingMessage,
    response: ServerResponse,
    { path, route, requestId }: Observed,
  ): RequestSpan | undefined => {
    const startedAt = performance.now()
    const span = trace?.request({ method, route, requestId, headers })
    response.on('close', () => {
      const durationMs = performance.now() - startedAt
      const status = response.writableFinished ? response.statusCode : 499
      metrics.onRequest(route, method, status, durationMs / 1000)
      span?.end(status)
      const level = HEALTH_CHECKS.test(path) && status === 200 ? 'debug' : 'info'
      if (!log.isLevelEnabled(level)) return
      const traceId = span?.traceId
      const line = {
        requestId,
        method,
        path: redactPath(path),
        status,
        durationMs: Math.round(durationMs),
        traceId,
      }
      log[level](line, 'request')
    })
    return span
  }
}

/**
 * Returns the path without the token of a shared link, which is a secret. Next redirects `//s/TOKEN` to the link, and
 * users add a token to other paths. Tokens of every kind have at least 43 characters in base64url, our IDs have 36.
 */
export function redactPath(path: string): string {
  const decoded = decodeURIComponent(path)
  if (/^\/+s\//i.test(decoded)) return '/s/...'
  const redacted = decoded.replace(/[\w-]{43,}/g, '...')
  return redacted === decoded ? path : redacted
}
