import { formatBytes } from '../../format.ts'
import { ALLOWED_MIME_TYPES, FILE_MAX_BYTES } from '../../limits.ts'
import type { Usage } from '../api/upload-api.ts'
import { UploadError } from '../errors.ts'

type CheckedFile = { name: string; mimeType: string; size: number }
type Rules = { mimeTypes: readonly string[]; maxMultipartBytes: number }

const DEFAULT_RULES: Rules = { mimeTypes: ALLOWED_MIME_TYPES, maxMultipartBytes: FILE_MAX_BYTES }
const KINDS = 'JPEG, PNG, GIF and WebP images, PDF documents, MP4 and QuickTime videos'

/**
 * Checks name, type and size before anything is sent. Returns the error, or undefined if the file is accepted.
 * Applies the rules of the server's schema without zod, so that pages do not have to load it
 * (tests/unit/client-upload-validation.test.ts compares the two).
 */
export function validateFile(file: CheckedFile, rules = DEFAULT_RULES): UploadError | undefined {
  const { mimeTypes, maxMultipartBytes: maxBytes } = rules
  const invalid = validateName(file)
  if (invalid) return invalid
  if (!mimeTypes.some((allowed) => isOfType(file.mimeType, allowed)))
    return new UploadError(
      'TYPE_NOT_ALLOWED',
      `Files of ${file.mimeType === '' ? 'an unknown type' : `type ${file.mimeType}`} are not accepted. Choose one of: ${rules === DEFAULT_RULES ? KINDS : mimeTypes.join(', ')}.`,
    )
  if (file.size < 1)
    return new UploadError('EMPTY_FILE', 'The file is empty. Choose a file of at least 1 byte.')
  if (file.size > maxBytes)
    return new UploadError(
      'TOO_LARGE',
      `The file is ${formatBytes(file.size)}. The maximum is ${formatBytes(maxBytes)}.`,
    )
  return undefined
}

/** Checks what holds for every policy. */
export function validateName({ name }: CheckedFile): UploadError | undefined {
  if (isName(name.trim())) return undefined
  return new UploadError(
    'NAME_NOT_ALLOWED',
    'The file name must have 1 to 255 characters, without slashes or control characters. Rename the file.',
  )
}

function isOfType(mimeType: string, allowed: string): boolean {
  return allowed.endsWith('/*') ? mimeType.startsWith(allowed.slice(0, -1)) : mimeType === allowed
}

function isName(name: string): boolean {
  return (
    name.isWellFormed() &&
    name.length > 0 &&
    [...name].length <= 255 &&
    !/[\p{Cc}\u2028\u2029/\\]/u.test(name)
  )
}

/** Returns an error if the file exceeds the quota. The server decides; this only saves a request. */
export function checkQuota(usage: Usage, size: number): UploadError | undefined {
  const free = Math.max(0, usage.quota - usage.used - usage.reserved)
  if (size <= free) return undefined
  // Show exact bytes where rounding would say "needs 2 MB, but only 2 MB is free".
  const show =
    formatBytes(size) === formatBytes(free) ? (n: number) => `${n.toLocaleString('en')} bytes` : formatBytes
  const reserved =
    usage.reserved > 0 ? ` and ${formatBytes(usage.reserved)} reserved by unfinished uploads` : ''
  return new UploadError(
    'QUOTA_EXCEEDED',
    `The file needs ${show(size)}, but only ${show(free)} of your ${formatBytes(usage.quota)} is free ` +
      `(${formatBytes(usage.used)} used${reserved}). Delete files or cancel uploads, then try again.`,
    { retryable: true, usage },
  )
}
