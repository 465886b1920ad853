import { Transient, UploadError } from '../errors.ts'
import type { PutAnswer } from '../types.ts'

/** The store does not take this URL (any more): a fresh one may do. */
export class UrlRefused extends Error {
  readonly error: UploadError
  constructor(error: UploadError) {
    super(error.message)
    this.name = 'UrlRefused'
    this.error = error
  }
}

/** The store does not know the multipart upload: it was aborted, completed, or has expired. */
export class UploadGone extends Error {}

/** Codes that S3 sends with 4xx although the same request may succeed. */
const PASSING = new Set([
  'RequestTimeout',
  'IncompleteBody',
  'OperationAborted',
  'ConditionalRequestConflict',
])

/**
 * What an object store's answer to a PUT means; returns for success.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
 * @throws Transient, UrlRefused, UploadGone, UploadError STORE_REFUSED
 */
export function judge(answer: PutAnswer): void {
  const { status } = answer
  if (status >= 200 && status < 300) return
  const code = /<Code>([A-Za-z0-9.]+)<\/Code>/.exec(answer.text)?.[1]
  const named = code ? `${status} ${code}` : `${status}`
  if (status === 408 || status === 429 || status >= 500 || (code !== undefined && PASSING.has(code)))
    throw new Transient(
      new UploadError('STORE_UNAVAILABLE', `The file store is not available (${named}). Try again later.`, {
        retryable: true,
      }),
      retryAfterMs(answer.retryAfter),
    )
  if (code === 'NoSuchUpload') throw new UploadGone()
  const refused = new UploadError('STORE_REFUSED', `The file store refused the upload (${named}).`, {
    retryable: true,
  })
  // 400 ExpiredToken and some stores' 401: what signed the URL is no longer valid.
  if (status === 401 || status === 403 || code === 'ExpiredToken') throw new UrlRefused(refused)
  throw refused
}

/** `Retry-After`: seconds or a date (RFC 9110, 10.2.3). */
export function retryAfterMs(value: string | null, now: number = Date.now()): number | undefined {
  if (value === null || value.trim() === '') return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}
