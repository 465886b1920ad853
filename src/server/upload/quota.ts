import { ALLOWED_MIME_TYPES, FILE_MAX_BYTES, PART_BYTES, SIMPLE_MAX_BYTES } from '@pigeonhole/client/limits'
import { AppError } from '../errors.ts'
import { quotaExceeded, tooManyUploads } from './errors.ts'
import type { NewFile, UploadDeps, Usage } from './ports.ts'

/**
 * Inserts the file's row and reserves its size and a place among the unfinished uploads.
 * @throws AppError QUOTA_EXCEEDED; UNAUTHORIZED if the account was deleted
 */
export async function reserveQuota(deps: UploadDeps, file: NewFile): Promise<void> {
  const { defaultQuotaBytes: quotaBytes, maxOpenUploads: openUploads } = deps.settings
  if (await deps.repo.reserve(file, { quotaBytes, openUploads })) return
  const found = await usage(deps, file.userId)
  throw found.openUploads >= openUploads ? tooManyUploads(openUploads) : quotaExceeded(found, file.size)
}

/** What uploads must keep to, so that clients need not know it beforehand. */
export function uploadLimits({ settings }: Pick<UploadDeps, 'settings'>) {
  return {
    mimeTypes: [...ALLOWED_MIME_TYPES],
    maxSimpleBytes: SIMPLE_MAX_BYTES,
    maxMultipartBytes: FILE_MAX_BYTES,
    partBytes: PART_BYTES,
    maxOpenUploads: settings.maxOpenUploads,
  }
}

/** @throws AppError UNAUTHORIZED if the account was deleted */
export async function usage(deps: UploadDeps, userId: string): Promise<Usage> {
  const found = await deps.repo.usage(userId, deps.settings.defaultQuotaBytes)
  if (!found) throw new AppError('UNAUTHORIZED', 'The account does not exist any more.')
  return found
}
