import { ALLOWED_MIME_TYPES, FILE_MAX_BYTES, PART_BYTES, SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'
import { emailUnverified, keyUsed, quotaExceeded, tooManyUploads } from './errors.ts'
import type { FileRecord, NewFile, UploadDeps, UploadSettings, Usage } from './ports.ts'

/** How long an idempotency key stands for the file that it has made. */
export const KEY_SECONDS = 24 * 60 * 60

/**
 * Inserts the file's row and reserves its size and a place among the unfinished uploads. Returns the file that an
 * earlier call with the same idempotency key has made; then nothing is reserved.
 * @throws AppError QUOTA_EXCEEDED; BAD_REQUEST if that file is another one; UNAUTHORIZED if the account was deleted
 */
export async function reserveQuota(deps: UploadDeps, file: NewFile): Promise<FileRecord | undefined> {
  const { defaultQuotaBytes: quotaBytes, maxOpenUploads: unfinishedUploads, verifiedOnly } = deps.settings
  for (;;) {
    const reservation = await deps.repo.reserve(file, { quotaBytes, unfinishedUploads, verifiedOnly })
    if (reservation.outcome === 'reserved') return undefined
    if (reservation.outcome !== 'known') break
    const earlier = reservation.file
    if (!isKeyOver(earlier, file.createdAt)) {
      if (!isSameInput(earlier, file)) throw keyUsed()
      return earlier
    }
    await deps.repo.freeIdempotencyKey(earlier.id)
  }
  const found = await usage(deps, file.userId)
  if (found.mustVerify) throw emailUnverified()
  throw found.unfinishedUploads >= unfinishedUploads
    ? tooManyUploads(unfinishedUploads)
    : quotaExceeded(found, file.size)
}

/** After its time, or if the initiation of the file has failed: no client has got its id. */
function isKeyOver(earlier: FileRecord, now: Date): boolean {
  const initiated = earlier.totalParts === null || earlier.uploadId !== null || earlier.state === 'UPLOADING'
  return !initiated || secondsAfter(earlier.createdAt, KEY_SECONDS) <= now
}

function isSameInput(a: FileRecord, b: NewFile): boolean {
  return (['filename', 'mimeType', 'size', 'totalParts'] as const).every((field) => a[field] === b[field])
}

/** What uploads must keep to, so that clients need not know it beforehand. */
export function uploadLimits({
  settings,
}: {
  settings: Pick<UploadSettings, 'maxOpenUploads' | 'maxParts'>
}) {
  return {
    mimeTypes: [...ALLOWED_MIME_TYPES],
    maxSimpleBytes: SIMPLE_MAX_BYTES,
    maxMultipartBytes: FILE_MAX_BYTES,
    // Parts of this size are few enough for the largest file.
    partBytes: Math.max(PART_BYTES, Math.ceil(FILE_MAX_BYTES / settings.maxParts)),
    maxOpenUploads: settings.maxOpenUploads,
  }
}

/** @throws AppError UNAUTHORIZED if the account was deleted */
export async function usage(deps: UploadDeps, userId: string): Promise<Usage> {
  const { defaultQuotaBytes: quotaBytes, verifiedOnly } = deps.settings
  const found = await deps.repo.usage(userId, { quotaBytes, verifiedOnly })
  if (!found) throw new AppError('UNAUTHORIZED', 'The account does not exist any more.')
  return found
}
