import type { ErrorCode, FieldErrors } from '@pigeonhole/client/error-codes'

/** Facts that programs act on; a tRPC error has them in `error.data`. Programs need not read the message. */
export type ErrorData = {
  /** Numbers of all parts that the object store does not have, ascending. */
  missingParts?: number[]
  /** Numbers of all parts that the object store has with another size or ETag than expected, ascending. */
  wrongParts?: number[]
}

type Options = {
  fieldErrors?: FieldErrors
  /** Seconds until the same call may succeed; sent as `Retry-After`. */
  retryAfterSeconds?: number
  data?: ErrorData
  /** Kept for the log, never shown. */
  cause?: unknown
}

const BRAND = Symbol.for('pigeonhole.AppError')

/**
 * An error whose message is written for the caller: what was wrong, what is allowed, what to do.
 * Expected results (a part that is missing, a push that was refused) are values, not errors.
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

/** By brand, not `instanceof`: routes that Next bundled (in development) have a copy of this module of their own. */
export function isAppError(error: unknown): error is AppError {
  return typeof error === 'object' && error !== null && BRAND in error
}

export const INTERNAL_MESSAGE =
  'Something went wrong on our side. Try again; if the error persists, give the operator the requestId.'
