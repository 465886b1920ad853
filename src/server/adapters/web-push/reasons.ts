import type { Outcome } from '../../domain/push/delivery/gateway.ts'
import { type GatewayResponse, jsonBody, reasonIn, retryAfterMs } from '../http2/reply.ts'

/** Apple, "Sending web push notifications in web apps and browsers": the subscription was created with another key. */
const APPLE_WRONG_KEY = 'VapidPkHashMismatch'

/**
 * Returns what a push service's response means for the subscription (RFC 8030, 5 to 8; RFC 8292, 4.2). Services give
 * few reasons, so each status gets a name here.
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
    // The subscription has another key, or the configuration is wrong. The circuit breaker distinguishes them.
    case 401:
    case 403:
      return { kind: 'suspect', reason: 'VAPID_REFUSED' }
    case 413:
      return { kind: 'rejected', reason: 'PAYLOAD_TOO_LARGE' }
    // RFC 8030, 8.4: too many pushes to one subscription. Microsoft returns 406 instead.
    case 406:
    case 429:
      return { kind: 'retry', reason: 'TOO_MANY_REQUESTS', afterMs, device: true }
  }
  if (status === 400 && reasonIn(jsonBody(response)?.reason) === APPLE_WRONG_KEY)
    return { kind: 'suspect', reason: 'VAPID_REFUSED' }
  const reason = `HTTP_${status}`
  // Redirects are rejected too, because their targets are unchecked.
  return status >= 500 ? { kind: 'retry', reason, afterMs } : { kind: 'rejected', reason }
}
