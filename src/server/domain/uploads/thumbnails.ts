import { isId } from '../../kernel/ids.ts'
import { badRequest, notAccepted, notFound, quotaExceeded, requireFile } from './errors.ts'
import { usage } from './quota.ts'
import type { SetThumbnailInput } from './schema.ts'
import type { UploadDeps } from './upload-deps.ts'

/**
 * Stores a small picture of a READY file, which counts toward its owner's quota and is deleted with the file. Later calls
 * change nothing and get the same response, so that browsers can cache the first thumbnail.
 * @throws AppError NOT_FOUND, BAD_REQUEST (the file is not READY), QUOTA_EXCEEDED
 */
export async function setThumbnail(deps: UploadDeps, userId: string, { fileId, data }: SetThumbnailInput) {
  const { repo, settings } = deps
  if (!isId(fileId)) throw notFound()
  if (await repo.addThumbnail(fileId, userId, data, settings.defaultQuotaBytes)) return
  const file = await requireFile(deps, userId, fileId)
  if (file.state === 'HELD') throw notAccepted()
  if (file.state !== 'READY') throw badRequest(`The file is ${file.state}. Finish its upload first.`)
  if (file.thumbnailBytes === 0) throw quotaExceeded(await usage(deps, userId), data.length)
}

/** Returns a WebP image. @throws AppError NOT_FOUND if the user has no such file, or it has no thumbnail */
export async function readThumbnail({ repo }: Pick<UploadDeps, 'repo'>, userId: string, fileId: string) {
  const webp = isId(fileId) ? await repo.thumbnail(fileId, userId) : null
  if (!webp) throw notFound()
  return webp
}
