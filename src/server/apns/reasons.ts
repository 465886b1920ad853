import { Errors } from 'apns2'
import type { Outcome } from '../push/outcome.ts'

/**
 * What to do on each of APNs' reasons: Apple, "Handling notification responses from APNs", table "Values for
 * the APNs JSON reason key". apns2 has no name for five newer ones.
 *
 * `throttled`: too many pushes to this one device: retried.
 * `ourFault`: the provider token or key is refused, never the device: retried.
 */
type Kind = 'rejected' | 'suspect' | 'gone' | 'retry' | 'throttled' | 'ourFault'

export const KIND_BY_REASON: Readonly<Record<string, Kind>> = {
  // 400
  [Errors.badCollapseId]: 'rejected',
  [Errors.badDeviceToken]: 'suspect',
  [Errors.badExpirationDate]: 'rejected',
  [Errors.badMessageId]: 'rejected',
  [Errors.badPriority]: 'rejected',
  [Errors.badTopic]: 'rejected',
  [Errors.deviceTokenNotForTopic]: 'suspect',
  [Errors.duplicateHeaders]: 'rejected',
  [Errors.idleTimeout]: 'retry',
  [Errors.invalidPushType]: 'rejected',
  [Errors.missingDeviceToken]: 'rejected',
  [Errors.missingTopic]: 'rejected',
  [Errors.payloadEmpty]: 'rejected',
  [Errors.topicDisallowed]: 'rejected',
  // 403
  [Errors.badCertificate]: 'rejected',
  [Errors.badCertificateEnvironment]: 'rejected',
  BadEnvironmentKeyIdInToken: 'ourFault',
  [Errors.expiredProviderToken]: 'ourFault',
  [Errors.forbidden]: 'rejected',
  [Errors.invalidProviderToken]: 'ourFault',
  [Errors.missingProviderToken]: 'ourFault',
  UnrelatedKeyIdInToken: 'ourFault',
  // 404, 405
  [Errors.badPath]: 'rejected',
  [Errors.methodNotAllowed]: 'rejected',
  // 410
  ExpiredToken: 'gone',
  [Errors.unregistered]: 'gone',
  // 413, 429
  [Errors.payloadTooLarge]: 'rejected',
  [Errors.tooManyProviderTokenUpdates]: 'ourFault',
  [Errors.tooManyRequests]: 'throttled',
  // 500, 503
  [Errors.internalServerError]: 'retry',
  [Errors.serviceUnavailable]: 'retry',
  [Errors.shutdown]: 'retry',
}

/** A response other than 200. */
export type Rejection = {
  status: number
  reason: string | undefined
  /** Milliseconds since the epoch; with 410 only. */
  timestamp: number | undefined
  retryAfterMs: number | undefined
}

/** What a response other than 200 means for the device. Unknown reasons are judged by their status. */
export function outcomeOf({ status, reason, timestamp, retryAfterMs }: Rejection): Outcome {
  const kind = kindOf(status, reason)
  const name = reason ?? `HTTP_${status}`
  switch (kind) {
    case 'gone':
      return timestamp === undefined
        ? { kind, reason: name }
        : { kind, reason: name, since: new Date(timestamp) }
    case 'throttled':
      return {
        kind: 'retry',
        reason: name,
        device: true,
        ...(retryAfterMs !== undefined && { afterMs: retryAfterMs }),
      }
    case 'retry':
    case 'ourFault':
      return retryAfterMs === undefined
        ? { kind: 'retry', reason: name }
        : { kind: 'retry', reason: name, afterMs: retryAfterMs }
    default:
      return { kind, reason: name }
  }
}

/** Whether every push is refused for this reason, until our provider token or key is replaced. */
export function isOurFault(reason: string | undefined): boolean {
  return reason !== undefined && KIND_BY_REASON[reason] === 'ourFault'
}

function kindOf(status: number, reason: string | undefined): Kind {
  const known = reason === undefined ? undefined : KIND_BY_REASON[reason]
  if (known) return known
  // "The device token is inactive for the specified topic", if it is APNs that says so and not a proxy.
  if (status === 410 && reason !== undefined) return 'gone'
  if (status === 429 || status >= 500) return 'retry'
  return 'rejected'
}
