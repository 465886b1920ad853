import type { Outcome } from '../push/outcome.ts'

/**
 * What to do on each of APNs' reasons: Apple, "Handling notification responses from APNs", table "Values for
 * the APNs JSON reason key".
 *
 * `throttled`: too many pushes to this one device: retried.
 * `credentialRefused`: the provider token or key is refused, never the device: retried.
 */
type Kind = 'rejected' | 'suspect' | 'gone' | 'retry' | 'throttled' | 'credentialRefused'

export const KIND_BY_REASON: Readonly<Record<string, Kind>> = {
  // 400
  BadCollapseId: 'rejected',
  BadDeviceToken: 'suspect',
  BadExpirationDate: 'rejected',
  BadMessageId: 'rejected',
  BadPriority: 'rejected',
  BadTopic: 'rejected',
  DeviceTokenNotForTopic: 'suspect',
  DuplicateHeaders: 'rejected',
  IdleTimeout: 'retry',
  InvalidPushType: 'rejected',
  MissingDeviceToken: 'rejected',
  MissingTopic: 'rejected',
  PayloadEmpty: 'rejected',
  TopicDisallowed: 'rejected',
  // 403
  BadCertificate: 'rejected',
  BadCertificateEnvironment: 'rejected',
  BadEnvironmentKeyIdInToken: 'credentialRefused',
  ExpiredProviderToken: 'credentialRefused',
  Forbidden: 'rejected',
  InvalidProviderToken: 'credentialRefused',
  MissingProviderToken: 'credentialRefused',
  UnrelatedKeyIdInToken: 'credentialRefused',
  // 404, 405
  BadPath: 'rejected',
  MethodNotAllowed: 'rejected',
  // 410
  ExpiredToken: 'gone',
  Unregistered: 'gone',
  // 413, 429
  PayloadTooLarge: 'rejected',
  TooManyProviderTokenUpdates: 'credentialRefused',
  TooManyRequests: 'throttled',
  // 500, 503
  InternalServerError: 'retry',
  ServiceUnavailable: 'retry',
  Shutdown: 'retry',
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
    case 'credentialRefused':
      return retryAfterMs === undefined
        ? { kind: 'retry', reason: name }
        : { kind: 'retry', reason: name, afterMs: retryAfterMs }
    default:
      return { kind, reason: name }
  }
}

/** Whether every push is refused for this reason, until our provider token or key is replaced. */
export function isCredentialRefused(reason: string | undefined): boolean {
  return reason !== undefined && KIND_BY_REASON[reason] === 'credentialRefused'
}

function kindOf(status: number, reason: string | undefined): Kind {
  const known = reason === undefined ? undefined : KIND_BY_REASON[reason]
  if (known) return known
  // "The device token is inactive for the specified topic", if it is APNs that says so and not a proxy.
  if (status === 410 && reason !== undefined) return 'gone'
  if (status === 429 || status >= 500) return 'retry'
  return 'rejected'
}
