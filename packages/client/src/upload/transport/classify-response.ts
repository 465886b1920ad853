import { RetryableError, UploadError } from '../errors.ts'
import type { PutResponse } from '../types.ts'

/** The store rejected this URL. A fresh one may be accepted. */
export class UrlRejectedError extends Error {
  readonly error: UploadError
  constructor(error: UploadError) {
    super(error.message)
    this.name = 'UrlRejectedError'
    this.error = error
  }
}

/** The store does not know the multipart upload: it was aborted or completed, or has expired. */
export class UploadGoneError extends Error {}

/** Codes that S3 sends with 4xx although the same request may succeed later. */
const RETRYABLE_CODES = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'OperationAborted',
  'ConditionalRequestConflict',
])

/**
 * Turns an object store's error response to a PUT into an exception; returns for success.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 * @throws RetryableError, UrlRejectedError, UploadGoneError, UploadError STORE_REFUSED
 */
export function classifyResponse(response: PutResponse): void {
  const { status } = response
  if (status >= 200 && status < 300) return
  const code = /<Code>([A-Za-z0-9.]+)<\/Code>/.exec(response.text)?.[1]
  const label = code ? `${status} ${code}` : `${status}`
  if (status === 408 || status === 429 || status >= 500 || (code !== undefined && RETRYABLE_CODES.has(code)))
    throw new RetryableError(
      new UploadError('STORE_UNAVAILABLE', `The file store is not available (${label}). Try again later.`, {
        retryable: true,
      }),
      retryAfterMs(response.retryAfter),
    )
  if (code === 'NoSuchUpload') throw new UploadGoneError()
  const refused = new UploadError('STORE_REFUSED', `The file store refused the upload (${label}).`, {
    retryable: true,
  })
  // 400 ExpiredToken and some stores' 401: what signed the URL is no longer valid.
  if (status === 401 || status === 403 || code === 'ExpiredToken') throw new UrlRejectedError(refused)
  throw refused
}

/** `Retry-After`: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(value: string | null, now: number = Date.now()): number | undefined {
  if (value === null || value.trim() === '') return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}
