import type { ErrorCode, FieldErrors } from '@pigeonhole/client/error-codes'

/** Facts that programs act on, so that they do not have to parse the message. tRPC errors carry them in `error.data`. */
export type ErrorData = {
  /** Numbers of all parts that the object store lacks, ascending. */
  missingParts?: number[]
  /** Numbers of all parts whose size or ETag differs from the expected one, ascending. */
  wrongParts?: number[]
  /**
   * Distinguishes errors that share a code. `busy`: another request is still processing the file, so repeat the call
   * later. `email_unverified`: the user must verify the email first. `reauthentication_required`: the user must sign
   * in again. `passkey_required`: the user must sign in with a passkey. The others belong to QUOTA_EXCEEDED: the
   * user's quota, number of unfinished uploads or of files with a policy, the service's storage, and the number and
   * bytes of a user token's uploads.
   */
  reason?:
    | 'busy'
    | 'email_unverified'
    | 'reauthentication_required'
    | 'passkey_required'
    | 'quota'
    | 'too_many_uploads'
    | 'too_many_files'
    | 'too_many_bytes'
    | 'service_full'
}

type Options = {
  fieldErrors?: FieldErrors
  /** Seconds until the same call can succeed, sent as `Retry-After`. */
  retryAfterSeconds?: number
  data?: ErrorData
  /** For the log only. */
  cause?: unknown
}

const BRAND = Symbol.for('pigeonhole.AppError')

/**
 * Error whose message is written for the caller: what happened, what is allowed, what to do.
 * Expected results, such as a missing part or a rejected push, are values instead.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly fieldErrors: FieldErrors | undefined
  readonly retryAfterSeconds: number | undefined
  readonly data: ErrorData
  readonly [BRAND] = true

  constructor(code: ErrorCode, publicMessage: string, options: Options = {}) {
    super(publicMessage, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.fieldErrors = options.fieldErrors
    this.retryAfterSeconds = options.retryAfterSeconds
    this.data = options.data ?? {}
  }

  get publicMessage(): string {
    return this.message
  }
}

/** Checks a brand instead of `instanceof`: in development, Next bundles a second copy of this module. */
export function isAppError(error: unknown): error is AppError {
  return typeof error === 'object' && error !== null && BRAND in error
}

export const INTERNAL_MESSAGE =
  'Something went wrong on the server. Try again. If the error persists, give the operator the requestId.'
