import { invalidFields } from '../../kernel/validation.ts'
import { requireFile } from './errors.ts'
import { moveFile } from './file-moves.ts'
import { fileUrl } from './file-url.ts'
import { fixedVisibility } from './policies.ts'
import type { SetVisibilityInput } from './schema.ts'
import type { UploadDeps } from './upload-deps.ts'

/**
 * Moves a READY file between the prefixes of private and public files. Idempotent; of two calls, the later one decides.
 * @throws AppError NOT_FOUND; BAD_REQUEST without S3_PUBLIC_URL, or if the file's policy fixes its visibility or it is not
 * READY; INTERNAL_SERVER_ERROR while a large file is still being copied, which the sweeper continues
 */
export async function setVisibility(
  deps: UploadDeps,
  userId: string,
  { fileId, visibility }: SetVisibilityInput,
) {
  const file = await requireFile(deps, userId, fileId)
  if (deps.urls.publicUrl === undefined)
    throw invalidFields({
      visibility: ['cannot be changed: this server has no public files (S3_PUBLIC_URL)'],
    })
  const fixed = fixedVisibility(deps.settings.policies, file, deps.urls.publicUrl)
  if (fixed !== undefined)
    throw invalidFields({ visibility: [`cannot be changed: files of policy "${file.policy}" are ${fixed}`] })
  const moved = await moveFile(deps, { fileId, userId }, visibility)
  return { success: true as const, visibility, url: fileUrl(deps.urls, moved) }
}
