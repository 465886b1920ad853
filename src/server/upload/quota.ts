import { AppError } from '../errors.ts'
import { quotaExceeded } from './errors.ts'
import type { NewFile, UploadDeps, Usage } from './ports.ts'

/**
 * Inserts the file's row and reserves its size.
 * @throws AppError QUOTA_EXCEEDED; UNAUTHORIZED if the account was deleted
 */
export async function reserveQuota(deps: UploadDeps, file: NewFile): Promise<void> {
  if (await deps.repo.reserve(file, deps.settings.defaultQuotaBytes)) return
  throw quotaExceeded(await usage(deps, file.userId), file.size)
}

/** @throws AppError UNAUTHORIZED if the account was deleted */
export async function usage(deps: UploadDeps, userId: string): Promise<Usage> {
  const found = await deps.repo.usage(userId, deps.settings.defaultQuotaBytes)
  if (!found) throw new AppError('UNAUTHORIZED', 'The account does not exist any more.')
  return found
}
