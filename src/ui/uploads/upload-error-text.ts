import type { UploadErrorCode, UploadFailure, UploadSnapshot } from '@pigeonhole/client/browser'
import { FILE_MAX_BYTES } from '@pigeonhole/client/limits'
import type { User } from '../context/use-session.ts'
import { fileTypeKey } from '../files/file-type-key.ts'
import { freeBytes, type Usage } from '../files/use-file-queries.ts'
import type { Formats } from '../i18n/formats.ts'
import type { PlainMessageKey } from '../i18n/message-types.ts'
import type { Translator } from '../i18n/translator.ts'
import { isStorageFull } from './storage-failures.ts'

/** Messages without parameters. A wrong CORS rule has no message of its own: operators find it in the log. */
const KEYS: Record<
  Exclude<UploadErrorCode, 'TYPE_NOT_ALLOWED' | 'TOO_LARGE' | 'CONTENT_MISMATCH'>,
  PlainMessageKey
> = {
  NAME_NOT_ALLOWED: 'uploadErrors.nameNotAllowed',
  EMPTY_FILE: 'uploadErrors.emptyFile',
  QUOTA_EXCEEDED: 'uploadErrors.quotaExceededByServer',
  BAD_REQUEST: 'uploadErrors.badRequest',
  NOT_FOUND: 'uploadErrors.notFound',
  SIGNED_OUT: 'errors.unauthorized',
  EXPIRED: 'uploadErrors.expired',
  SERVER_ERROR: 'uploadErrors.serverError',
  NETWORK: 'uploadErrors.network',
  STORE_UNAVAILABLE: 'uploadErrors.storeUnavailable',
  STORE_REFUSED: 'uploadErrors.storeRejected',
  ETAG_HIDDEN: 'uploadErrors.storeRejected',
  FILE_CHANGED: 'uploadErrors.fileChanged',
  DIFFERENT_FILE: 'uploadErrors.differentFile',
}

type ContentType = 'jpeg' | 'png' | 'gif' | 'webp' | 'pdf' | 'mp4' | 'quicktime'
type Described = Pick<UploadSnapshot, 'name' | 'mimeType' | 'size'>

/** Returns the extension of a file name with its dot, in lower case. */
const extension = (name: string) => /.(\.[^.\s]+)$/.exec(name)?.[1]?.toLowerCase()

/** Returns the message that a file's content is not of the type that its name says. */
function contentFaultKey(mimeType: string): PlainMessageKey {
  const type = fileTypeKey(mimeType)?.replace('fileTypes.', '') as ContentType | undefined
  return `uploadErrors.contentFaults.${type ?? 'other'}`
}

/** Errors that only an administrator can explain, with the log. */
const UNEXPECTED = new Set<UploadErrorCode>(['BAD_REQUEST', 'SERVER_ERROR'])

/**
 * Returns why an upload failed, in the user's language. The client's own texts are English and for programs. If storage
 * was missing, the text compares the file with `currentUsage`, or with the usage when the upload started.
 */
export function failureText(
  { code, usage: usageAtStart, reason, requestId }: UploadFailure,
  { name, mimeType, size }: Described,
  { mustVerify }: Pick<User, 'mustVerify'>,
  t: Translator,
  format: Formats,
  currentUsage?: Usage,
): string {
  if (code === 'TYPE_NOT_ALLOWED')
    return mimeType === ''
      ? t('uploadErrors.typeUnknown')
      : t('uploadErrors.typeNotAllowed', { kind: mimeType.split('/')[0]!, type: extension(name) ?? mimeType })
  if (code === 'CONTENT_MISMATCH')
    return t('uploadErrors.contentMismatch', { fault: t(contentFaultKey(mimeType)) })
  if (code === 'TOO_LARGE')
    return t('uploadErrors.tooLarge', { size: format.bytes(size), maxSize: format.bytes(FILE_MAX_BYTES) })
  if (reason === 'too_many_files') return t('uploadErrors.tooManyFiles')
  if (reason === 'too_many_bytes') return t('uploadErrors.tooManyBytes')
  if (reason === 'too_many_uploads') return t('uploadErrors.tooManyOpen')
  if (code === 'QUOTA_EXCEEDED' && mustVerify) return t('uploadErrors.emailUnverified')
  const usage = currentUsage ?? usageAtStart
  if (code === 'QUOTA_EXCEEDED' && usage) {
    const free = freeBytes(usage)
    if (size <= free) return t('uploadErrors.storageFreed')
    if (size > usage.quota)
      return t('uploadErrors.largerThanQuota', {
        size: format.bytes(size),
        quota: format.bytes(usage.quota),
      })
    // Exact bytes if rounding would result in "needs 2 MB, and 2 MB is free".
    const exact = format.bytes(size) === format.bytes(free)
    const show = exact ? (count: number) => t('units.bytes', { count }) : format.bytes
    return t('uploadErrors.quotaExceeded', {
      ...usageTexts(usage, format),
      size: show(size),
      free: show(free),
    })
  }
  const message = t(KEYS[code])
  return requestId && UNEXPECTED.has(code) ? t('errors.withRequestId', { message, requestId }) : message
}

type FailedUpload = { snapshot: Described; error: UploadFailure }

/** Returns why several uploads failed with the same code. Where their texts differ, says it without a file's details. */
export function failureGroupText(
  group: FailedUpload[],
  user: Pick<User, 'mustVerify'>,
  t: Translator,
  format: Formats,
  currentUsage?: Usage,
): string {
  const texts = new Set(
    group.map(({ error, snapshot }) => failureText(error, snapshot, user, t, format, currentUsage)),
  )
  const [first] = texts
  const { code } = group[0]!.error
  if (texts.size === 1) return first!
  if (code === 'TYPE_NOT_ALLOWED') return t('uploadErrors.typesNotAllowed')
  if (code === 'CONTENT_MISMATCH')
    return t('uploadErrors.contentMismatch', { fault: t('uploadErrors.contentFaults.other') })
  if (code === 'TOO_LARGE') return t('uploadErrors.tooLargeFiles', { maxSize: format.bytes(FILE_MAX_BYTES) })
  const usage = currentUsage ?? group[0]!.error.usage
  if (isStorageFull(group[0]!.error) && usage)
    return t('uploadErrors.quotaExceededFiles', usageTexts(usage, format))
  return t(KEYS[code])
}

function usageTexts(usage: Usage, format: Formats) {
  return {
    used: format.bytes(usage.used + usage.reserved),
    quota: format.bytes(usage.quota),
    free: format.bytes(freeBytes(usage)),
  }
}
