import { partNumbers } from '@pigeonhole/client/parts'
import type { z } from 'zod'
import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { UploadDeps } from './deps.ts'
import { uploadedParts } from './part-check.ts'
import type { FileRecord, Presigned, Usage } from './ports.ts'
import { badRequest, notFound } from './refusals.ts'
import type { listFilesInput } from './schema.ts'
import { DOWNLOAD_URL_SECONDS } from './url-lifetimes.ts'
import { contentDisposition, fileUrl } from './urls.ts'

const STORE_BOUND_MS = 20_000

/** How far an upload is, from any device: what the store has counts, reported or not. */
export async function uploadStatus(deps: UploadDeps, userId: string, fileId: string) {
  const file = isId(fileId) ? await deps.repo.find(fileId, userId) : null
  if (!file) throw notFound()
  return {
    fileId: file.id,
    state: file.state,
    size: file.size,
    partSize: file.partSize,
    totalParts: file.totalParts,
    uploadedParts: file.totalParts === null ? null : await partsThere(deps, file),
    expiresAt: file.expiresAt?.toISOString() ?? null,
  }
}

async function partsThere(deps: UploadDeps, file: FileRecord): Promise<number[]> {
  if (file.state === 'READY') return partNumbers({ totalParts: file.totalParts! })
  if (file.state !== 'UPLOADING' || !file.uploadId) return []
  const signal = AbortSignal.timeout(STORE_BOUND_MS)
  const [stored, recorded] = await Promise.all([
    deps.store.listParts(file.key, file.uploadId, signal),
    deps.repo.recordedParts(file.id),
  ])
  if (stored) return uploadedParts(file, stored, recorded)
  // No such upload: put together by a completion that did not live to say so, or gone.
  return (await deps.store.head(file.key, signal)) ? partNumbers({ totalParts: file.totalParts! }) : []
}

export async function listFiles(
  deps: UploadDeps,
  userId: string,
  { cursor, limit }: z.output<typeof listFilesInput>,
) {
  if (cursor !== undefined && !isId(cursor))
    throw new AppError('BAD_REQUEST', 'The cursor is not one that files.list gave out (nextCursor).', {
      fieldErrors: { cursor: ['must be the nextCursor of an earlier page'] },
    })
  const files = await deps.repo.list(userId, cursor, limit + 1)
  const page = files.slice(0, limit)
  return {
    items: page.map((file) => ({
      id: file.id,
      filename: file.filename,
      mimeType: file.mimeType,
      size: file.size,
      state: file.state,
      url: file.state === 'READY' ? fileUrl(deps.urls, file) : null,
      createdAt: file.createdAt.toISOString(),
    })),
    nextCursor: files.length > limit ? page.at(-1)!.id : null,
  }
}

/**
 * A presigned GET (or HEAD) with the stored type and the file's name.
 * @throws AppError NOT_FOUND; BAD_REQUEST if it is the caller's but not ready
 */
export async function downloadUrl(
  deps: UploadDeps,
  userId: string,
  fileId: string,
  download: boolean,
  method: 'GET' | 'HEAD' = 'GET',
): Promise<Presigned> {
  const file = isId(fileId) ? await deps.repo.find(fileId, userId) : null
  if (!file) throw notFound()
  if (file.state !== 'READY')
    throw badRequest(`The file is ${file.state}, not READY: there is nothing to download.`)
  return deps.store.presignGet(
    file.key,
    {
      contentType: file.mimeType,
      contentDisposition: contentDisposition(download ? 'attachment' : 'inline', file.filename),
    },
    DOWNLOAD_URL_SECONDS,
    method,
  )
}

export async function usage(deps: UploadDeps, userId: string): Promise<Usage> {
  const found = await deps.repo.usage(userId, deps.settings.defaultQuotaBytes)
  if (!found) throw new AppError('UNAUTHORIZED', 'The account does not exist any more.')
  return found
}
