import { formatBytes } from '../../format.ts'
import { ALLOWED_MIME_TYPES, FILE_MAX_BYTES } from '../../limits.ts'
import type { Usage } from '../api/upload-api.ts'
import { UploadError } from '../errors.ts'

const ALLOWED: readonly string[] = ALLOWED_MIME_TYPES
const KINDS = 'JPEG, PNG, GIF and WebP images, PDF documents, MP4 and QuickTime videos'

/**
 * Checks name, type and size before anything is sent. Returns the error, or undefined if the file is accepted.
 * The rules are those of the server's schema without zod, which a page need not load
 * (tests/unit/client-upload-validation.test.ts compares the two).
 */
export function validateFile(file: {
  name: string
  mimeType: string
  size: number
}): UploadError | undefined {
  const name = file.name.trim()
  if (!isName(name))
    return new UploadError(
      'NAME_NOT_ALLOWED',
      'The file name must have 1 to 255 characters, without slashes and control characters. Rename the file.',
    )
  if (!ALLOWED.includes(file.mimeType))
    return new UploadError(
      'TYPE_NOT_ALLOWED',
      `Files of ${file.mimeType === '' ? 'an unknown type' : `type ${file.mimeType}`} are not accepted. Allowed are ${KINDS}.`,
    )
  if (file.size < 1) return new UploadError('EMPTY_FILE', 'The file is empty. It must have at least 1 byte.')
  if (file.size > FILE_MAX_BYTES)
    return new UploadError(
      'TOO_LARGE',
      `The file has ${formatBytes(file.size)}; at most ${formatBytes(FILE_MAX_BYTES)} are allowed.`,
    )
  return undefined
}

function isName(name: string): boolean {
  return (
    name.isWellFormed() &&
    name.length > 0 &&
    [...name].length <= 255 &&
    !/[\p{Cc}\u2028\u2029/\\]/u.test(name)
  )
}

/** Returns the error if the file does not fit the quota. The server decides; this only saves a request. */
export function checkQuota(usage: Usage, size: number): UploadError | undefined {
  const free = Math.max(0, usage.quota - usage.used - usage.reserved)
  if (size <= free) return undefined
  // Exact bytes where rounding would give "needs 2 MB, and 2 MB are free".
  const show =
    formatBytes(size) === formatBytes(free) ? (n: number) => `${n.toLocaleString('en')} bytes` : formatBytes
  const reserved =
    usage.reserved > 0 ? ` and ${formatBytes(usage.reserved)} reserved by unfinished uploads` : ''
  return new UploadError(
    'QUOTA_EXCEEDED',
    `The file needs ${show(size)}, and ${show(free)} of your ${formatBytes(usage.quota)} are free ` +
      `(${formatBytes(usage.used)} used${reserved}). Delete files, or cancel uploads, and try again.`,
    { retryable: true, usage },
  )
}
