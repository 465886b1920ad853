import type { z } from 'zod'
import { isId } from '../ids.ts'
import { badRequest, notFound, quotaExceeded } from './errors.ts'
import type { UploadDeps } from './ports.ts'
import { usage } from './quota.ts'
import type { setThumbnailInput } from './schema.ts'

/**
 * Stores a small picture of a ready file, which counts in its owner's quota and is deleted with the file. The first one
 * stays, so that browsers may keep it: later calls change nothing and get the same answer.
 * @throws AppError NOT_FOUND, BAD_REQUEST (the file is not READY), QUOTA_EXCEEDED
 */
export async function setThumbnail(
  deps: UploadDeps,
  userId: string,
  { fileId, data }: z.output<typeof setThumbnailInput>,
): Promise<{ success: true }> {
  const { repo, settings } = deps
  if (!isId(fileId)) throw notFound()
  if (await repo.addThumbnail(fileId, userId, data, settings.defaultQuotaBytes)) return { success: true }
  const file = await repo.find(fileId, userId)
  if (!file) throw notFound()
  if (file.state !== 'READY') throw badRequest(`The file is ${file.state}. Finish its upload first.`)
  if (file.thumbnailBytes === 0) throw quotaExceeded(await usage(deps, userId), data.length)
  return { success: true }
}

/** WebP. @throws AppError NOT_FOUND: the user has no such file, or it has no thumbnail */
export async function readThumbnail(
  { repo }: Pick<UploadDeps, 'repo'>,
  userId: string,
  fileId: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const webp = isId(fileId) ? await repo.thumbnail(fileId, userId) : null
  if (!webp) throw notFound()
  return webp
}
