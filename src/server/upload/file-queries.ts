import { partNumbers } from '@pigeonhole/client/parts'
import type { z } from 'zod'
import { secondsAfter } from '../clock.ts'
import { isId } from '../ids.ts'
import { badRequest, notFound } from './errors.ts'
import { decodeCursor, encodeCursor } from './file-cursor.ts'
import { contentDisposition, fileUrl, thumbnailUrl } from './file-url.ts'
import type { FileFilter, FileRecord, FileTotal, Presigned, UploadDeps } from './ports.ts'
import type { fileTotalsInput, listFilesInput } from './schema.ts'
import { type UploadedPart, uploadedParts } from './stored-parts.ts'

/** How long a presigned GET is valid (docs/spec.md). */
const DOWNLOAD_URL_SECONDS = 5 * 60
/** How long an upload that was aborted, expired or rejected is listed. */
const ENDED_LISTED_SECONDS = 24 * 60 * 60
const STORE_TIMEOUT_MS = 20_000

/** The progress of an upload, for any device: parts in the store count, recorded or not. */
export async function uploadStatus(deps: UploadDeps, userId: string, fileId: string) {
  const file = isId(fileId) ? await deps.repo.find(fileId, userId) : null
  if (!file) throw notFound()
  const { id, state, size, partSize, totalParts, expiresAt } = file
  return {
    fileId: id,
    state,
    size,
    partSize,
    totalParts,
    ...(totalParts === null
      ? { uploadedParts: null, parts: null }
      : await partsOf(deps, file, partNumbers({ totalParts }))),
    expiresAt: expiresAt?.toISOString() ?? null,
  }
}

type Parts = { uploadedParts: number[]; parts: UploadedPart[] | null }

/** `parts` is null when the object is there: then its parts are no more. */
async function partsOf(deps: UploadDeps, file: FileRecord, all: number[]): Promise<Parts> {
  if (file.state === 'READY') return { uploadedParts: all, parts: null }
  if (file.state !== 'UPLOADING' || !file.uploadId) return { uploadedParts: [], parts: [] }
  const signal = AbortSignal.timeout(STORE_TIMEOUT_MS)
  const [stored, recorded] = await Promise.all([
    deps.store.listParts(file.key, file.uploadId, signal),
    deps.repo.recordedParts(file.id),
  ])
  if (stored) {
    const parts = uploadedParts(file, stored, recorded)
    return { uploadedParts: parts.map((part) => part.partNumber), parts }
  }
  // The store does not know the upload: completed by a call that crashed afterwards, or gone.
  if (await deps.store.head(file.key, signal)) return { uploadedParts: all, parts: null }
  return { uploadedParts: [], parts: [] }
}

function fileFilter({ query, mimeTypes }: z.output<typeof fileTotalsInput>): FileFilter {
  return { words: query?.split(/\s+/).filter(Boolean) ?? [], mimeTypes: mimeTypes ?? null }
}

/** How many ready files match, and what they count in the quota, by type; the type with most bytes first. */
export async function fileTotals(
  deps: Pick<UploadDeps, 'repo'>,
  userId: string,
  filter: z.output<typeof fileTotalsInput>,
): Promise<{ items: FileTotal[] }> {
  return { items: await deps.repo.totals(userId, fileFilter(filter)) }
}

/** Whether a list needs all rows of the user, and not just the newest. */
export function isSearch({ query, mimeTypes, sort }: z.output<typeof listFilesInput>): boolean {
  return sort !== 'newest' || mimeTypes !== undefined || (query !== undefined && query.trim() !== '')
}

export async function listFiles(
  deps: UploadDeps,
  userId: string,
  { cursor, limit, query, mimeTypes, sort }: z.output<typeof listFilesInput>,
) {
  const files = await deps.repo.list(userId, {
    sort,
    after: cursor === undefined ? undefined : decodeCursor(sort, cursor),
    ...fileFilter({ query, mimeTypes }),
    endedAfter: secondsAfter(deps.clock.now(), -ENDED_LISTED_SECONDS),
    limit: limit + 1,
  })
  const page = files.slice(0, limit)
  return {
    items: page.map((file) => ({
      id: file.id,
      filename: file.filename,
      mimeType: file.mimeType,
      size: file.size,
      state: file.state,
      url: file.state === 'READY' ? fileUrl(deps.urls, file) : null,
      thumbnailUrl: thumbnailUrl(deps.urls, file),
      createdAt: file.createdAt.toISOString(),
    })),
    nextCursor: files.length > limit ? encodeCursor(sort, page.at(-1)!) : null,
  }
}

/**
 * A presigned GET (or HEAD: a signature holds for one method) with the stored type and the file's name.
 * `download`: as an attachment.
 * @throws AppError NOT_FOUND; BAD_REQUEST if the file is the caller's but not READY
 */
export async function downloadUrl(
  deps: UploadDeps,
  userId: string,
  fileId: string,
  { download = false, method = 'GET' }: { download?: boolean; method?: 'GET' | 'HEAD' },
): Promise<Presigned> {
  const file = isId(fileId) ? await deps.repo.find(fileId, userId) : null
  if (!file) throw notFound()
  if (file.state !== 'READY')
    throw badRequest(`The file is ${file.state}, not READY: there is nothing to download.`)
  return presignFile(deps, file, { download, method })
}

/** The same for a file whose reader has been checked. */
export function presignFile(
  { store }: Pick<UploadDeps, 'store'>,
  file: Pick<FileRecord, 'key' | 'mimeType' | 'filename'>,
  { download, method = 'GET' }: { download: boolean; method?: 'GET' | 'HEAD' },
): Promise<Presigned> {
  return store.presignGet(
    file.key,
    {
      contentType: file.mimeType,
      contentDisposition: contentDisposition(download ? 'attachment' : 'inline', file.filename),
    },
    DOWNLOAD_URL_SECONDS,
    method,
  )
}
