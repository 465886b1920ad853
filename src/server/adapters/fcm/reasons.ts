import type { Outcome } from '../../domain/push/delivery/gateway.ts'
import { isRecord } from '../../kernel/validation.ts'
import { reasonIn } from '../http2/reply.ts'

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'

/** Firebase: with 429, wait for `Retry-After`, "if the header isn't set, the default is 60 seconds". */
const DEFAULT_QUOTA_WAIT_MS = 60_000

/** Returns the content of an FCM HTTP v1 error response. */
export function errorIn(status: number, body: Record<string, unknown> | undefined, retryAfterMs?: number) {
  const error = isRecord(body?.error) ? body.error : {}
  const details = (Array.isArray(error.details) ? error.details : []).filter(isRecord)
  const fcm = details.find((detail) => detail['@type'] === FCM_ERROR)
  const violations = details
    .filter((detail) => detail['@type'] === BAD_REQUEST)
    .flatMap((detail): unknown[] => (Array.isArray(detail.fieldViolations) ? detail.fieldViolations : []))
    .filter(isRecord)
  return {
    status,
    /** `error.status`: name of a google.rpc.Code, such as NOT_FOUND. */
    rpcStatus: reasonIn(error.status),
    /** `errorCode` of the FcmError detail, such as UNREGISTERED. */
    errorCode: reasonIn(fcm?.errorCode),
    /** True if the registration token is at fault, by the field of a BadRequest detail or by FCM's message. */
    isTokenInvalid:
      violations.some((violation) => violation.field === 'message.token') ||
      // Current responses have no BadRequest detail, only the message "The registration token is not a valid FCM
      // registration token".
      (violations.length === 0 &&
        typeof error.message === 'string' &&
        /registration token/i.test(error.message)),
    retryAfterMs,
  }
}

/**
 * Returns what a response other than 200 means for the device (Firebase, "ErrorCode"; google.rpc without an FcmError
 * detail). Only FCM's own code removes a device. NOT_FOUND and PERMISSION_DENIED without the detail mean a wrong project
 * or a missing role, which firebase-admin cannot tell from UNREGISTERED.
 */
export function outcomeOf(response: ReturnType<typeof errorIn>): Outcome {
  const { status, errorCode, rpcStatus, isTokenInvalid, retryAfterMs: afterMs } = response
  const reason = errorCode ?? rpcStatus ?? `HTTP_${status}`
  const retry: Outcome = { kind: 'retry', reason, afterMs }
  const overQuota: Outcome =
    afterMs === undefined ? { ...retry, afterMs: DEFAULT_QUOTA_WAIT_MS, assumed: true } : retry

  switch (errorCode) {
    case 'UNREGISTERED':
      return { kind: 'gone', reason }
    case 'SENDER_ID_MISMATCH':
      return { kind: 'suspect', reason }
    case 'QUOTA_EXCEEDED':
      return overQuota
    case 'UNAVAILABLE':
    case 'INTERNAL':
      return retry
    case 'THIRD_PARTY_AUTH_ERROR':
      return { kind: 'rejected', reason }
  }
  if (reason === 'INVALID_ARGUMENT') return { kind: isTokenInvalid ? 'suspect' : 'rejected', reason }
  if (status === 429) return overQuota
  return status === 401 || status >= 500 ? retry : { kind: 'rejected', reason }
}
