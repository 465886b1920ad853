import type { UploadErrorCode, UploadFailure } from './types.ts'

/** Why an upload failed. The message is written for the user. */
export class UploadError extends Error {
  readonly code: UploadErrorCode
  readonly retryable: boolean
  /** Numbers of the parts that the server wants (again) before it completes a multipart upload. */
  readonly partsToSend: readonly number[]
  readonly requestId: string | undefined
  readonly usage: UploadFailure['usage']

  constructor(
    code: UploadErrorCode,
    message: string,
    options: {
      retryable?: boolean
      partsToSend?: number[]
      requestId?: string
      usage?: UploadFailure['usage']
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
  }

  get failure(): UploadFailure {
    const { code, message, retryable, requestId, usage } = this
    return { code, message, retryable, ...(requestId && { requestId }), ...(usage && { usage }) }
  }
}

/** No HTTP response: refused, broken, timed out, or hidden from a page by CORS. */
export class NetworkError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NetworkError'
  }
}

/** The same attempt may succeed later. The upload fails with `error` when no attempt is left. */
export class RetryableError extends Error {
  readonly error: UploadError
  /** From the Retry-After header. */
  readonly retryAfterMs: number | undefined

  constructor(error: UploadError, retryAfterMs?: number) {
    super(error.message, { cause: error })
    this.name = 'RetryableError'
    this.error = error
    this.retryAfterMs = retryAfterMs
  }
}

/** The server does not know the session. */
export class SignedOutError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignedOutError'
  }
}

/** Turns anything thrown into an error that can be shown. */
export function asUploadError(error: unknown): UploadError {
  if (error instanceof UploadError) return error
  if (error instanceof RetryableError) return error.error
  const reason = error instanceof Error ? error.message : String(error)
  return new UploadError('SERVER_ERROR', `The upload failed unexpectedly: ${reason}`, {
    retryable: true,
    cause: error,
  })
}
