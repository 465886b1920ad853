import type { Errors } from 'apns2'
import type { Outcome } from '../../domain/push/delivery/gateway.ts'

/** Names in apns2 that APNs never sends. */
type Internal = 'Error' | 'InvalidSigningKey' | 'UnknownError'
/** Names in Apple's table that apns2 12.2 lacks. */
type Unlisted = 'BadEnvironmentKeyIdInToken' | 'ExpiredToken' | 'UnrelatedKeyIdInToken'
export type ApnsReason = Exclude<(typeof Errors)[keyof typeof Errors], Internal> | Unlisted

/** `throttled`: too many pushes to one device. `credentialRejected`: the provider token or key is at fault. Both retry. */
type Kind = 'rejected' | 'suspect' | 'gone' | 'retry' | 'throttled' | 'credentialRejected'

/** Apple, "Handling notification responses from APNs", table "Values for the APNs JSON reason key". */
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
  BadEnvironmentKeyIdInToken: 'credentialRejected',
  ExpiredProviderToken: 'credentialRejected',
  Forbidden: 'rejected',
  InvalidProviderToken: 'credentialRejected',
  MissingProviderToken: 'credentialRejected',
  UnrelatedKeyIdInToken: 'credentialRejected',
  // 404, 405
  BadPath: 'rejected',
  MethodNotAllowed: 'rejected',
  // 410
  ExpiredToken: 'gone',
  Unregistered: 'gone',
  // 413, 429
  PayloadTooLarge: 'rejected',
  TooManyProviderTokenUpdates: 'credentialRejected',
  TooManyRequests: 'throttled',
  // 500, 503
  InternalServerError: 'retry',
  ServiceUnavailable: 'retry',
  Shutdown: 'retry',
} satisfies Record<ApnsReason, Kind>

/** A response other than 200. */
export type Rejection = {
  status: number
  reason: string | undefined
  /** Milliseconds since the epoch; with 410 only. */
  timestamp: number | undefined
  retryAfterMs: number | undefined
}

/** Returns what a response other than 200 means for the device. For unknown reasons, the status decides. */
export function outcomeOf(rejection: Rejection): Outcome {
  const { status, timestamp, retryAfterMs: afterMs, reason = `HTTP_${status}` } = rejection
  const kind = kindOf(status, rejection.reason)
  switch (kind) {
    case 'gone':
      return { kind, reason, since: timestamp === undefined ? undefined : new Date(timestamp) }
    case 'throttled':
      return { kind: 'retry', reason, afterMs, device: true }
    case 'retry':
    case 'credentialRejected':
      return { kind: 'retry', reason, afterMs }
    default:
      return { kind, reason }
  }
}

/** Returns true if APNs rejects every push for this reason until the provider token or key is replaced. */
export function isCredentialRejected(reason: string | undefined): boolean {
  return reason !== undefined && KIND_BY_REASON[reason] === 'credentialRejected'
}

function kindOf(status: number, reason: string | undefined): Kind {
  const known = reason === undefined ? undefined : KIND_BY_REASON[reason]
  if (known) return known
  // Apple: "The device token is inactive for the specified topic". A 410 without a reason comes from a proxy.
  if (status === 410 && reason !== undefined) return 'gone'
  return status === 429 || status >= 500 ? 'retry' : 'rejected'
}
