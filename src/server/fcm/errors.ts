import { isRecord, reasonIn } from '../gateway/reply.ts'
import type { Outcome } from '../push/outcome.ts'

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'

/** Firebase: with 429, wait for `Retry-After`, "if the header isn't set, the default is 60 seconds". */
const DEFAULT_QUOTA_WAIT_MS = 60_000

/** What an error response of FCM HTTP v1 says. */
export type FcmErrorResponse = {
  status: number
  /** `error.status`: google.rpc.Code by name, such as NOT_FOUND. */
  rpcStatus: string | undefined
  /** `errorCode` of the detail of type FcmError: what FCM itself says, such as UNREGISTERED. */
  errorCode: string | undefined
  /** Whether the registration token is at fault: a BadRequest detail names its field, or FCM's message does. */
  isTokenInvalid: boolean
  retryAfterMs: number | undefined
}

export function errorIn(
  status: number,
  body: Record<string, unknown> | undefined,
  retryAfterMs?: number,
): FcmErrorResponse {
  const error = isRecord(body?.error) ? body.error : {}
  const details = (Array.isArray(error.details) ? error.details : []).filter(isRecord)
  const fcm = details.find((detail) => detail['@type'] === FCM_ERROR)
  const violations = details
    .filter((detail) => detail['@type'] === BAD_REQUEST)
    .flatMap((detail): unknown[] => (Array.isArray(detail.fieldViolations) ? detail.fieldViolations : []))
    .filter(isRecord)
  return {
    status,
    rpcStatus: reasonIn(error.status),
    errorCode: reasonIn(fcm?.errorCode),
    isTokenInvalid:
      violations.some((violation) => violation.field === 'message.token') ||
      // Today's responses have no BadRequest detail, only the message "The registration token is not a valid FCM
      // registration token".
      (violations.length === 0 &&
        typeof error.message === 'string' &&
        /registration token/i.test(error.message)),
    retryAfterMs,
  }
}

/**
 * What a response other than 200 means for the device (Firebase, "ErrorCode"; google.rpc where there is no FcmError
 * detail). Only FCM's own code removes a device: NOT_FOUND and PERMISSION_DENIED without the detail mean a wrong
 * project or a missing role of ours, which firebase-admin cannot tell from UNREGISTERED.
 */
export function outcomeOf(response: FcmErrorResponse): Outcome {
  const { status, errorCode, rpcStatus, isTokenInvalid, retryAfterMs } = response
  const reason = errorCode ?? rpcStatus ?? `HTTP_${status}`
  const retry = (): Outcome =>
    retryAfterMs === undefined ? { kind: 'retry', reason } : { kind: 'retry', reason, afterMs: retryAfterMs }
  const overQuota: Outcome =
    retryAfterMs === undefined
      ? { kind: 'retry', reason, afterMs: DEFAULT_QUOTA_WAIT_MS, assumed: true }
      : { kind: 'retry', reason, afterMs: retryAfterMs }

  switch (errorCode) {
    case 'UNREGISTERED':
      return { kind: 'gone', reason }
    case 'SENDER_ID_MISMATCH':
      return { kind: 'suspect', reason }
    case 'QUOTA_EXCEEDED':
      return overQuota
    case 'UNAVAILABLE':
    case 'INTERNAL':
      return retry()
    case 'THIRD_PARTY_AUTH_ERROR':
      return { kind: 'rejected', reason }
  }
  if (reason === 'INVALID_ARGUMENT') return { kind: isTokenInvalid ? 'suspect' : 'rejected', reason }
  if (status === 401) return retry()
  if (status === 429) return overQuota
  return status >= 500 ? retry() : { kind: 'rejected', reason }
}
