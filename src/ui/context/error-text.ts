import { TRPCClientError } from '@trpc/client'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import type { Translator } from '../i18n/translator.ts'

/** By the server's error code. */
const KEYS: Record<string, PlainMessageKey> = {
  BAD_REQUEST: 'errors.badRequest',
  UNAUTHORIZED: 'errors.unauthorized',
  FORBIDDEN: 'errors.forbidden',
  NOT_FOUND: 'errors.notFound',
  CONFLICT: 'errors.conflict',
  QUOTA_EXCEEDED: 'errors.quotaExceeded',
  PAYLOAD_TOO_LARGE: 'errors.tooLarge',
  TOO_MANY_REQUESTS: 'errors.tooManyRequests',
  SERVICE_UNAVAILABLE: 'errors.unavailable',
}

/** Facts of a failed call: what a page may know of it. */
export type ErrorFacts = {
  /** Undefined: the server did not answer. */
  code: string | undefined
  /** Ties it to the server's log. */
  requestId?: string
  /** What is wrong, by field. The words are for programs. */
  fieldErrors?: Record<string, string[]>
}

/** What the server said about a failed call. */
export function errorFacts(error: unknown): ErrorFacts {
  const data = error instanceof TRPCClientError ? (error.data as ErrorFacts | undefined) : undefined
  if (data?.code !== undefined) return data
  const answer = error instanceof Error ? (error as Partial<ErrorFacts>) : undefined
  return { code: answer?.code, requestId: answer?.requestId, fieldErrors: answer?.fieldErrors }
}

/** The server has rejected the session; a push token that it rejects is none of ours. */
export function isSessionEnded(error: unknown): boolean {
  return error instanceof TRPCClientError && errorFacts(error).code === 'UNAUTHORIZED'
}

/**
 * What to tell the user about a failed call. The server's own words are for programs and not shown. `expected`: words
 * for codes that mean something particular here, such as a wrong password; the others carry the request id.
 */
export function errorText(
  t: Translator,
  error: unknown,
  expected: Partial<Record<string, PlainMessageKey>> = {},
): string {
  const { code, requestId } = errorFacts(error)
  if (code === undefined) return t('errors.unreachable')
  const known = expected[code]
  if (known) return t(known)
  const message = t(KEYS[code] ?? 'errors.internal')
  return requestId ? t('errors.withRequestId', { message, requestId }) : message
}
