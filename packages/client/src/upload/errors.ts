import type { UploadErrorCode, UploadFailure } from './types.ts'

/** Reason for a failed upload. The message is for the user. */
export class UploadError extends Error {
  readonly code: UploadErrorCode
  readonly retryable: boolean
  /** Parts that the server needs (again) before it can complete a multipart upload. */
  readonly partsToSend: readonly number[]
  readonly requestId: string | undefined
  readonly usage: UploadFailure['usage']
  readonly reason: UploadFailure['reason']

  constructor(
    code: UploadErrorCode,
    message: string,
    options: {
      retryable?: boolean
      partsToSend?: number[]
      requestId?: string
      usage?: UploadFailure['usage']
      reason?: UploadFailure['reason']
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'UploadError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.partsToSend = options.partsToSend ?? []
    this.requestId = options.requestId
    this.usage = options.usage
    this.reason = options.reason
  }

  get failure(): UploadFailure {
    const { code, message, retryable, requestId, usage, reason } = this
    return {
      code,
      message,
      retryable,
      ...(requestId && { requestId }),
      ...(usage && { usage }),
      ...(reason && { reason }),
    }
  }
}

/** No HTTP response: the connection was rejected, broke or timed out, or CORS hid the response from the page. */
export class NetworkError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NetworkError'
  }
}

/** Failure of an attempt that could succeed later. The upload fails with `error` when no attempt is left. */
export class RetryableError extends Error {
  readonly error: UploadError
  /** Time in the Retry-After header. */
  readonly retryAfterMs: number | undefined

  constructor(error: UploadError, retryAfterMs?: number) {
    super(error.message, { cause: error })
    this.name = 'RetryableError'
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}

/** The server rejected the session. */
export class SignedOutError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignedOutError'
  }
}

/** Turns any thrown value into an error that can be shown. */
export function asUploadError(error: unknown): UploadError {
  if (error instanceof UploadError) return error
  if (error instanceof RetryableError) return error.error
  const reason = error instanceof Error ? error.message : String(error)
  return new UploadError('SERVER_ERROR', `The upload failed unexpectedly: ${reason}`, {
    retryable: true,
    cause: error,
  })
}
