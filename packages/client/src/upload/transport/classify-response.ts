import { RetryableError, UploadError } from '../errors.ts'
import type { PutResponse } from '../types.ts'

/** The store rejected this URL, but could accept a new one. */
export class UrlRejectedError extends Error {
  readonly error: UploadError
  constructor(error: UploadError) {
    super(error.message)
    this.name = 'UrlRejectedError'
    this.error = error
  }
}

/** The store does not know the multipart upload: it was aborted, completed or has expired. */
export class UploadGoneError extends Error {}

/** 4xx codes of S3 after which the same request can succeed later. */
const RETRYABLE_CODES = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'OperationAborted',
  'ConditionalRequestConflict',
])

/**
 * Throws if an object store responded to a PUT with an error.
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
      new UploadError('STORE_UNAVAILABLE', `The file store is unavailable (${label}). Try again later.`, {
        retryable: true,
      }),
      retryAfterMs(response.retryAfter),
    )
  if (code === 'NoSuchUpload') throw new UploadGoneError()
  const rejected = new UploadError(
    'STORE_REFUSED',
    `The file store rejected the upload (${label}). Try again.`,
    {
      retryable: true,
    },
  )
  // 400 ExpiredToken, and 401 of some stores: the credentials that signed the URL are no longer valid.
  if (status === 401 || status === 403 || code === 'ExpiredToken') throw new UrlRejectedError(rejected)
  throw rejected
}

/** Parses `Retry-After`: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(value: string | null, now: number = Date.now()): number | undefined {
  if (value === null || value.trim() === '') return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}
