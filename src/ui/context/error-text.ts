import { TRPCClientError } from '@trpc/client'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import type { Translator } from '../i18n/translator.ts'

/** Messages for errors that users can understand and resolve, by the server's error code. */
const KEYS: Record<string, PlainMessageKey> = {
  UNAUTHORIZED: 'errors.unauthorized',
  FORBIDDEN: 'errors.forbidden',
  NOT_FOUND: 'errors.notFound',
  CONFLICT: 'errors.conflict',
  QUOTA_EXCEEDED: 'errors.quotaExceeded',
  PAYLOAD_TOO_LARGE: 'errors.tooLarge',
  TOO_MANY_REQUESTS: 'errors.tooManyRequests',
  SERVICE_UNAVAILABLE: 'errors.unavailable',
}

/** Details of a failed call that pages can use. */
type ErrorDetails = {
  /** Undefined if the server did not respond. */
  code: string | undefined
  /** Distinguishes errors that share a code. */
  reason?: string
  /** Identifies the call in the server's log. */
  requestId?: string
  /** Problems by field. The texts are for programs. */
  fieldErrors?: Record<string, string[]>
}

/** Reads the server's response from the error of a failed call. */
export function errorDetails(error: unknown): ErrorDetails {
  const data = error instanceof TRPCClientError ? (error.data as ErrorDetails | undefined) : undefined
  if (data?.code !== undefined) return data
  const details = error instanceof Error ? (error as Partial<ErrorDetails>) : undefined
  const { code, reason, requestId, fieldErrors } = details ?? {}
  return { code, reason, requestId, fieldErrors }
}

/** Returns an error that `errorText` finds by its code. */
export function withCode(code: string): Error {
  return Object.assign(new Error(code), { code })
}

/** Code of an action that the user canceled when asked who they are. They know why it failed, so no message says it. */
export const CANCELED = 'CANCELED'

/** Returns true if the server rejected the session. Outside tRPC, UNAUTHORIZED can mean a rejected push token. */
export function isSessionEnded(error: unknown): boolean {
  return error instanceof TRPCClientError && errorDetails(error).code === 'UNAUTHORIZED'
}

/**
 * Returns the message for a failed call. The server's own texts are for programs and are not shown. `expected` has
 * messages for codes with a special meaning, such as a wrong password. Messages for unexpected errors include the
 * request ID, which leads an administrator to the log. Empty if the user canceled.
 */
export function errorText(
  t: Translator,
  error: unknown,
  expected: Partial<Record<string, PlainMessageKey>> = {},
): string {
  const { code, reason, requestId } = errorDetails(error)
  if (code === undefined) return t('errors.unreachable')
  if (code === CANCELED) return ''
  if (reason === 'email_unverified') return t('uploadErrors.emailUnverified')
  if (reason === 'reauthentication_required') return t('errors.signInAgain')
  if (reason === 'passkey_required') return t('errors.passkeyRequired')
  const key = expected[code] ?? KEYS[code]
  if (key) return t(key)
  const message = t(code === 'BAD_REQUEST' ? 'errors.badRequest' : 'errors.internal')
  return requestId ? t('errors.withRequestId', { message, requestId }) : message
}
