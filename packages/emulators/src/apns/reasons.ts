/**
 * Status of every APNs reason. Source: Apple, "Handling notification responses from APNs", table
 * "Values for the APNs JSON reason key" (https://developer.apple.com/documentation/usernotifications).
 */
export const statusOf = {
  BadCollapseId: 400,
  BadDeviceToken: 400,
  BadExpirationDate: 400,
  BadMessageId: 400,
  BadPriority: 400,
  BadTopic: 400,
  DeviceTokenNotForTopic: 400,
  DuplicateHeaders: 400,
  IdleTimeout: 400,
  InvalidPushType: 400,
  MissingDeviceToken: 400,
  MissingTopic: 400,
  PayloadEmpty: 400,
  TopicDisallowed: 400,
  BadCertificate: 403,
  BadCertificateEnvironment: 403,
  BadEnvironmentKeyIdInToken: 403,
  ExpiredProviderToken: 403,
  Forbidden: 403,
  InvalidProviderToken: 403,
  MissingProviderToken: 403,
  UnrelatedKeyIdInToken: 403,
  BadPath: 404,
  MethodNotAllowed: 405,
  ExpiredToken: 410,
  Unregistered: 410,
  PayloadTooLarge: 413,
  TooManyProviderTokenUpdates: 429,
  TooManyRequests: 429,
  InternalServerError: 500,
  ServiceUnavailable: 503,
  Shutdown: 503,
} as const

export type Reason = keyof typeof statusOf

export function isReason(text: string): text is Reason {
  return Object.hasOwn(statusOf, text)
}

/** Returns the body of a rejection. Only 410 has a `timestamp` (milliseconds since the epoch). */
export function bodyOf(reason: Reason, timestamp?: number): string {
  return JSON.stringify(
    statusOf[reason] === 410 ? { reason, timestamp: timestamp ?? Date.now() } : { reason },
  )
}
