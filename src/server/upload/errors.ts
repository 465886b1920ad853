import { AppError, type ErrorData } from '../errors.ts'
import type { FileRecord, Usage } from './ports.ts'

/** The messages of the upload procedures: what was wrong, what is allowed, what to do. */

export const notFound = () =>
  new AppError('NOT_FOUND', 'No file of yours has this fileId. It may have been deleted.')

export const badRequest = (message: string, data?: ErrorData) =>
  new AppError('BAD_REQUEST', message, { data })

export function quotaExceeded(usage: Usage, size: number): AppError {
  const free = Math.max(0, usage.quota - usage.used - usage.reserved)
  return new AppError(
    'QUOTA_EXCEEDED',
    `The file needs ${size} bytes and ${free} are free: of your quota of ${usage.quota} bytes, ${usage.used} are used ` +
      `and ${usage.reserved} are reserved by uploads in progress. Delete files, or finish or abort uploads.`,
  )
}

export const emailUnverified = () =>
  new AppError(
    'QUOTA_EXCEEDED',
    'Verify your email address first: an account has no storage before that. Open the link that was mailed to you, or ask for another with account.requestEmailVerification.',
  )

export const tooManyUploads = (most: number) =>
  new AppError(
    'QUOTA_EXCEEDED',
    `You have ${most} unfinished uploads, which is as many as are allowed. Confirm, complete, abort or delete some, or wait until they expire.`,
  )

export const storageFull = () =>
  new AppError(
    'QUOTA_EXCEEDED',
    'The service is full: all its users together have stored or reserved as much as it takes. Try again later, and tell the operator.',
  )

export const keyUsed = () =>
  badRequest(
    'This idempotencyKey was used for another file in the last 24 hours. Use a new key for each file, and the same one only to repeat a call.',
  )

export const busy = () =>
  new AppError(
    'INTERNAL_SERVER_ERROR',
    'Another request is still at work on this file. Try again in a few seconds.',
  )

/** The store takes fewer parts than the rule allows (`S3_MAX_PARTS`). */
export const tooManyParts = (most: number) =>
  new AppError(
    'BAD_REQUEST',
    `The object store takes at most ${most} parts. Send fewer, larger parts: upload.limits has a size that is enough for every file.`,
    { fieldErrors: { totalParts: [`must be at most ${most}, for larger parts`] } },
  )

/** For an operation on an unfinished upload when the file is in another state. */
export function wrongState(file: FileRecord, wanted: 'confirm' | 'complete' | 'abort' | 'part'): AppError {
  switch (file.state) {
    case 'REJECTED':
      return badRequest(file.rejectReason ?? 'The upload was rejected. Start a new upload.')
    case 'ABORTED':
      return badRequest('The upload was aborted. Start a new upload.')
    case 'EXPIRED':
      return badRequest('The upload has expired. Start a new upload.')
    case 'READY':
      return badRequest(
        wanted === 'abort'
          ? 'The file is complete and cannot be aborted. Use files.delete to remove it.'
          : 'The upload is already complete.',
      )
    default:
      return badRequest(`The upload is ${file.state}.`)
  }
}

/** Simple and multipart uploads have their own procedures. */
export function requireKind(file: FileRecord, kind: 'simple' | 'multipart'): void {
  const actual = file.totalParts === null ? 'simple' : 'multipart'
  if (actual === kind) return
  throw badRequest(
    actual === 'simple'
      ? 'This is a simple upload: PUT the bytes to its uploadUrl and call upload.confirmUpload (or files.delete to give it up).'
      : 'This is a multipart upload: upload its parts and call upload.completeMultipart.',
  )
}
