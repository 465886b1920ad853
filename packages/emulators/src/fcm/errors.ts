import type { Reply } from '../gateway/request.ts'

/** Error response of FCM in Google's format (google.rpc.Status as JSON). */
export type FcmError = {
  /** Name of the error in the request log and in fault scripts. */
  readonly reason: string
  readonly reply: Reply
}

export type FieldViolation = {
  readonly field: string
  readonly description: string
}

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'
const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'
const SEE =
  'Expected OAuth 2 access token, login cookie or other valid authentication credential. See https://developers.google.com/identity/sign-in/web/devconsole-project.'

type Shape = {
  readonly code: number
  readonly status: string
  readonly message: string
  /** `details[].errorCode` of type FcmError. Absent if FCM itself never saw the request. */
  readonly fcm?: string
  readonly violations?: readonly FieldViolation[]
  /** `details[].reason` of type ErrorInfo. */
  readonly info?: string
}

/**
 * Errors with a fixed shape. Sources:
 * - Codes and statuses: https://firebase.google.com/docs/reference/fcm/rest/v1/ErrorCode
 * - Types of `details`: https://firebase.google.com/docs/cloud-messaging/error-codes
 *
 * According to the latter, an invalid registration token only has FcmError (`INVALID_TOKEN`). `INVALID_TOKEN_FIELD` is
 * an older form with a field violation (firebase-admin-python issue 187). `NOT_FOUND` and `PERMISSION_DENIED` concern
 * the project, not the device.
 */
const shapes = {
  INVALID_ARGUMENT: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
    fcm: 'INVALID_ARGUMENT',
  },
  INVALID_TOKEN: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'The registration token is not a valid FCM registration token',
    fcm: 'INVALID_ARGUMENT',
  },
  INVALID_TOKEN_FIELD: {
    code: 400,
    status: 'INVALID_ARGUMENT',
    message: 'Request contains an invalid argument.',
    fcm: 'INVALID_ARGUMENT',
    violations: [{ field: 'message.token', description: 'Invalid registration token' }],
  },
  UNREGISTERED: {
    code: 404,
    status: 'NOT_FOUND',
    message: 'Requested entity was not found.',
    fcm: 'UNREGISTERED',
  },
  SENDER_ID_MISMATCH: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: 'SenderId mismatch',
    fcm: 'SENDER_ID_MISMATCH',
  },
  QUOTA_EXCEEDED: {
    code: 429,
    status: 'RESOURCE_EXHAUSTED',
    message: 'Quota exceeded for quota metric.',
    fcm: 'QUOTA_EXCEEDED',
  },
  UNAVAILABLE: {
    code: 503,
    status: 'UNAVAILABLE',
    message: 'The service is currently unavailable.',
    fcm: 'UNAVAILABLE',
  },
  INTERNAL: { code: 500, status: 'INTERNAL', message: 'Internal error encountered.', fcm: 'INTERNAL' },
  THIRD_PARTY_AUTH_ERROR: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: 'Auth error from APNS or Web Push Service',
    fcm: 'THIRD_PARTY_AUTH_ERROR',
  },
  NOT_FOUND: { code: 404, status: 'NOT_FOUND', message: 'Requested entity was not found.' },
  PERMISSION_DENIED: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: "Permission 'cloudmessaging.messages.create' denied on resource (or it may not exist).",
    info: 'IAM_PERMISSION_DENIED',
  },
  INSUFFICIENT_SCOPE: {
    code: 403,
    status: 'PERMISSION_DENIED',
    message: 'Request had insufficient authentication scopes.',
    info: 'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  },
  CREDENTIALS_MISSING: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: `Request is missing required authentication credential. ${SEE}`,
    info: 'CREDENTIALS_MISSING',
  },
  ACCESS_TOKEN_INVALID: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: `Request had invalid authentication credentials. ${SEE}`,
    info: 'ACCESS_TOKEN_TYPE_UNSUPPORTED',
  },
  ACCESS_TOKEN_EXPIRED: {
    code: 401,
    status: 'UNAUTHENTICATED',
    message: `Request had invalid authentication credentials. ${SEE}`,
    info: 'ACCESS_TOKEN_EXPIRED',
  },
} as const satisfies Record<string, Shape>

export type Reason = keyof typeof shapes

export function isReason(text: string): text is Reason {
  return Object.hasOwn(shapes, text)
}

/** Returns an error. `retryAfterSeconds` adds the header `Retry-After`, which FCM does not always send. */
export function fcmError(reason: Reason, retryAfterSeconds?: number): FcmError {
  return { reason, reply: replyOf(shapes[reason], retryAfterSeconds) }
}

/** Returns 400 for a message that FCM rejects, with both types of details. */
export function invalid(field: string, description: string): FcmError {
  const shape = { ...shapes.INVALID_ARGUMENT, message: description, violations: [{ field, description }] }
  return { reason: 'INVALID_ARGUMENT', reply: replyOf(shape) }
}

/** Returns 400 of Google's JSON parser, which rejects a request before FCM sees it: only field violations. */
export function unparsable(violations: readonly FieldViolation[]): FcmError {
  const message = violations.map((violation) => violation.description).join('\n')
  return {
    reason: 'INVALID_ARGUMENT',
    reply: replyOf({ code: 400, status: 'INVALID_ARGUMENT', message, violations }),
  }
}

function replyOf(shape: Shape, retryAfterSeconds?: number): Reply {
  const { code, status, message, fcm, violations, info } = shape
  const details = [
    ...(fcm ? [{ '@type': FCM_ERROR, errorCode: fcm }] : []),
    ...(violations ? [{ '@type': BAD_REQUEST, fieldViolations: violations }] : []),
    ...(info ? [{ '@type': ERROR_INFO, reason: info, domain: 'googleapis.com' }] : []),
  ]
  const error = { code, message, status, ...(details.length > 0 ? { details } : {}) }
  return {
    status: code,
    headers: {
      'content-type': 'application/json; charset=UTF-8',
      ...(code === 401 ? { 'www-authenticate': 'Bearer realm="https://accounts.google.com/"' } : {}),
      ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
    },
    body: JSON.stringify({ error }),
  }
}
