import type { PlainMessageKey } from '../i18n/message-types.ts'

/** Causes of failed pushes in words, with advice. */
export const FAILURE_CAUSES = {
  notConfigured: {
    text: 'admin.broadcasts.cause.notConfigured',
    advice: 'admin.broadcasts.cause.notConfiguredAdvice',
  },
  credentials: {
    text: 'admin.broadcasts.cause.credentials',
    advice: 'admin.broadcasts.cause.credentialsAdvice',
  },
  topic: { text: 'admin.broadcasts.cause.topic', advice: 'admin.broadcasts.cause.topicAdvice' },
  payload: { text: 'admin.broadcasts.cause.payload', advice: 'admin.broadcasts.cause.payloadAdvice' },
  tooMany: { text: 'admin.broadcasts.cause.tooMany', advice: 'admin.broadcasts.cause.tooManyAdvice' },
  noResponse: {
    text: 'admin.broadcasts.cause.noResponse',
    advice: 'admin.broadcasts.cause.noResponseAdvice',
  },
  other: { text: 'admin.broadcasts.cause.other', advice: 'admin.broadcasts.cause.otherAdvice' },
} as const satisfies Record<string, { text: PlainMessageKey; advice: PlainMessageKey }>

export type FailureCause = keyof typeof FAILURE_CAUSES

/** Reasons of the gateways and of this service, by cause. */
const REASONS: Record<Exclude<FailureCause, 'other'>, string[]> = {
  notConfigured: ['GATEWAY_NOT_CONFIGURED'],
  credentials: [
    'BadCertificate',
    'BadCertificateEnvironment',
    'BadEnvironmentKeyIdInToken',
    'ExpiredProviderToken',
    'Forbidden',
    'InvalidProviderToken',
    'MissingProviderToken',
    'UnrelatedKeyIdInToken',
    'TooManyProviderTokenUpdates',
    'NO_ACCESS_TOKEN',
    'UNAUTHENTICATED',
    'PERMISSION_DENIED',
    'THIRD_PARTY_AUTH_ERROR',
    'VAPID_REFUSED',
  ],
  topic: [
    'BadTopic',
    'MissingTopic',
    'TopicDisallowed',
    'DeviceTokenNotForTopic',
    'BadDeviceToken',
    'SENDER_ID_MISMATCH',
    'NOT_FOUND',
  ],
  payload: [
    'PayloadEmpty',
    'PayloadTooLarge',
    'PAYLOAD_TOO_LARGE',
    'INVALID_ARGUMENT',
    'BadCollapseId',
    'BadExpirationDate',
    'BadPriority',
    'InvalidPushType',
    'SILENT_NOT_SUPPORTED',
    'UNSENDABLE',
  ],
  tooMany: ['TooManyRequests', 'TOO_MANY_REQUESTS', 'QUOTA_EXCEEDED', 'TOO_MANY_PUSH_SERVICES'],
  noResponse: [
    'IdleTimeout',
    'InternalServerError',
    'ServiceUnavailable',
    'Shutdown',
    'INTERNAL',
    'UNAVAILABLE',
    'TIMEOUT',
    'UNREACHABLE',
    'GOAWAY',
    'STREAM_REFUSED',
    'CONNECTION_LOST',
    'SHUTTING_DOWN',
    'BAD_ANSWER',
    'GIVEN_UP',
  ],
}

const CAUSE_OF = new Map(
  Object.entries(REASONS).flatMap(([cause, reasons]) =>
    reasons.map((reason) => [reason, cause as FailureCause] as const),
  ),
)

/** Returns what is at fault for a failure's reason. Gateways can send reasons that this service does not know. */
export function failureCause(reason: string): FailureCause {
  if (/^HTTP_5\d\d$/.test(reason)) return 'noResponse'
  return CAUSE_OF.get(reason) ?? 'other'
}
