import type { UploadErrorCode, UploadFault } from './types.ts'

/** Why an upload failed; the message is written for the person who waits for it. */
export class UploadError extends Error {
  readonly code: UploadErrorCode
  readonly retryable: boolean
  /** Numbers of the parts that the server wants (again) before it completes a multipart upload. */
  readonly partsToSend: readonly number[]

  constructor(
    code: UploadErrorCode,
    message: string,
    options: { retryable?: boolean; partsToSend?: number[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'UploadError'
    this.code = code
    this.retryable = options.retryable ?? false
    this.partsToSend = options.partsToSend ?? []
  }

  get fault(): UploadFault {
    return { code: this.code, message: this.message, retryable: this.retryable }
  }
}

/** No HTTP answer: refused, broken, timed out, or hidden from a page by CORS. */
export class NetworkError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'NetworkError'
  }
}

/** The same attempt may succeed later. `error` is what the upload fails with when no attempt is left. */
export class Transient extends Error {
  readonly error: UploadError
  /** Milliseconds the other side asked to wait for. */
  readonly afterMs: number | undefined

  constructor(error: UploadError, afterMs?: number) {
    super(error.message, { cause: error })
    this.name = 'Transient'
    this.error = error
    this.afterMs = afterMs
  }
}

/** The server does not know the session. */
export class SignedOut extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'SignedOut'
  }
}

/** Whatever was thrown, as something that can be shown. */
export function asUploadError(error: unknown): UploadError {
  if (error instanceof UploadError) return error
  if (error instanceof Transient) return error.error
  const reason = error instanceof Error ? error.message : String(error)
  return new UploadError('SERVER_ERROR', `The upload failed unexpectedly: ${reason}`, {
    retryable: true,
    cause: error,
  })
}
