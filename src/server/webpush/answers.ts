import { type GatewayResponse, jsonBody, reasonIn } from '../gateway/reply.ts'
import { retryAfterMs } from '../gateway/retry-after.ts'
import type { Outcome } from '../push/outcome.ts'

/** Apple, "Sending web push notifications in web apps and browsers": our key is not the one of the subscription. */
const APPLE_WRONG_KEY = 'VapidPkHashMismatch'

/**
 * What a push service's response means for the subscription (RFC 8030, 5 to 8; RFC 8292, 4.2). Services give few
 * reasons, so these are ours: a status has one name.
 */
export function outcomeOf(response: GatewayResponse, now: Date): Outcome {
  const { status } = response
  const afterMs = retryAfterMs(response.headers['retry-after'], now)
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  switch (status) {
    // Unsubscribed, or expired.
    case 404:
    case 410:
      return { kind: 'gone', reason: 'SUBSCRIPTION_GONE' }
    // Our key is not the subscription's, or our configuration is wrong: the circuit breaker tells them apart.
    case 401:
    case 403:
      return { kind: 'suspect', reason: 'VAPID_REFUSED' }
    case 413:
      return { kind: 'rejected', reason: 'PAYLOAD_TOO_LARGE' }
    // RFC 8030, 8.4: of one subscription. Microsoft answers 406 for the same.
    case 406:
    case 429:
      return { ...retry('TOO_MANY_REQUESTS', afterMs), device: true }
  }
  if (status === 400 && reasonIn(jsonBody(response)?.reason) === APPLE_WRONG_KEY)
    return { kind: 'suspect', reason: 'VAPID_REFUSED' }
  return status >= 500
    ? retry(`HTTP_${status}`, afterMs)
    : // A redirect too: it is not followed, since nobody has checked where it leads.
      { kind: 'rejected', reason: `HTTP_${status}` }
}

function retry(reason: string, afterMs: number | undefined): Extract<Outcome, { kind: 'retry' }> {
  return afterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs }
}
