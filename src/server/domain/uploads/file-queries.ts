import { partNumbers } from '@pigeonhole/client/parts'
import { z } from 'zod'
import { secondsAfter } from '../../kernel/clock.ts'
import { AppError } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { isStorable } from '../../kernel/text.ts'
import { badRequest, notAccepted, notFound, requireFile } from './errors.ts'
import { type FileRecord, isStored } from './file-record.ts'
import { contentDisposition, DOWNLOAD_URL_SECONDS, fileUrl, thumbnailUrl, visibilityOf } from './file-url.ts'
import { isRecognizable } from './media-types.ts'
import type { Presigned } from './object-store.ts'
import { fixedVisibility } from './policies.ts'
import type { FileTotalsInput, ListFilesInput, RenameFileInput } from './schema.ts'
import { type UploadedPart, uploadedParts } from './stored-parts.ts'
import type { UploadDeps } from './upload-deps.ts'
import type { FileCursor, FileFilter, FileSort, ListedFile } from './upload-repo.ts'

/** Time for which lists contain an upload after it was aborted, expired or rejected. */
const ENDED_LISTED_SECONDS = 24 * 60 * 60
const STORE_TIMEOUT_MS = 20_000

/** Lifetime of the URL in file.held. */
const HELD_URL_SECONDS = 60 * 60

type DownloadOptions = { download?: boolean; method?: 'GET' | 'HEAD'; seconds?: number }

/** Returns the progress of an upload, for any device. Counts parts in the store even if they are not recorded. */
export async function uploadStatus(deps: UploadDeps, userId: string, fileId: string) {
  const file = await requireFile(deps, userId, fileId)
  const { id, state, size, partSize, totalParts, expiresAt, policy, data } = file
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
    policy,
    data,
  }
}

type Parts = { uploadedParts: number[]; parts: UploadedPart[] | null }

/** `parts` is null if the object exists, because the store then no longer lists them. */
async function partsOf({ repo, store }: UploadDeps, file: FileRecord, all: number[]): Promise<Parts> {
  if (isStored(file)) return { uploadedParts: all, parts: null }
  if (file.state !== 'UPLOADING' || !file.uploadId) return { uploadedParts: [], parts: [] }
  const signal = AbortSignal.timeout(STORE_TIMEOUT_MS)
  const [stored, recorded] = await Promise.all([
    store.listParts(file.key, file.uploadId, signal),
    repo.recordedParts(file.id),
  ])
  if (stored) {
    const parts = uploadedParts(file, stored, recorded)
    return { uploadedParts: parts.map((part) => part.partNumber), parts }
  }
  // The store does not know the upload: it is gone, or a call that crashed afterwards completed it.
  if (await store.head(file.key, signal)) return { uploadedParts: all, parts: null }
  return { uploadedParts: [], parts: [] }
}

function fileFilter({ query, mimeTypes }: FileTotalsInput): FileFilter {
  return { words: query?.split(/\s+/).filter(Boolean) ?? [], mimeTypes: mimeTypes ?? null }
}

/** Counts the matching READY files by type, the type with the most bytes first, and all files in the trash. */
export async function fileTotals({ repo, clock }: UploadDeps, userId: string, filter: FileTotalsInput) {
  const [items, trash] = await Promise.all([
    repo.totals(userId, fileFilter(filter)),
    repo.trashTotals(userId, clock.now()),
  ])
  return { items, trash }
}

/** Returns true if a list needs all rows of the user, not only the newest ones. */
export function isSearch({ query, mimeTypes, sort }: ListFilesInput): boolean {
  return sort !== 'newest' || mimeTypes !== undefined || (query !== undefined && query.trim() !== '')
}

export async function listFiles(
  { repo, clock, urls, settings }: UploadDeps,
  userId: string,
  { cursor, limit, query, mimeTypes, sort }: ListFilesInput,
) {
  const now = clock.now()
  const files = await repo.list(userId, {
    sort,
    after: cursor == null ? undefined : decodeCursor(sort, cursor),
    ...fileFilter({ query, mimeTypes }),
    endedAfter: secondsAfter(now, -ENDED_LISTED_SECONDS),
    now,
    limit: limit + 1,
  })
  const page = files.slice(0, limit)
  return {
    items: page.map(({ key, thumbnailBytes, createdAt, ...file }) => ({
      ...file,
      visibility: visibilityOf(urls, file),
      visibilityFixed: fixedVisibility(settings.policies, file, urls.publicUrl) !== undefined,
      url: file.state === 'READY' ? fileUrl(urls, { ...file, key }) : null,
      thumbnailUrl: thumbnailUrl(urls, { id: file.id, thumbnailBytes }),
      createdAt: createdAt.toISOString(),
    })),
    nextCursor: files.length > limit ? encodeCursor(sort, page.at(-1)!) : null,
  }
}

/** Changes the name in lists and downloads. The key, and thus a public URL, stays the same. */
export async function renameFile(
  { repo }: UploadDeps,
  userId: string,
  { fileId, filename }: RenameFileInput,
): Promise<void> {
  if (!isId(fileId) || !(await repo.rename(fileId, userId, filename))) throw notFound()
}

/**
 * Presigns a GET or HEAD (a signature covers one method) with the stored type and the file's name.
 * `download`: as an attachment.
 * @throws AppError NOT_FOUND, even while the file is HELD; BAD_REQUEST if it is not READY
 */
export async function downloadUrl(
  deps: UploadDeps,
  userId: string,
  fileId: string,
  options: DownloadOptions = {},
): Promise<Presigned> {
  const file = await requireFile(deps, userId, fileId)
  if (file.state === 'HELD') throw notAccepted()
  if (file.state !== 'READY')
    throw badRequest(`The file is ${file.state}, not READY. It cannot be downloaded.`)
  return presignFile(deps, file, options)
}

/** Does the same for a file whose reader has been checked. */
export function presignFile(
  { store }: Pick<UploadDeps, 'store'>,
  { key, mimeType: contentType, filename }: Pick<FileRecord, 'key' | 'mimeType' | 'filename'>,
  { download = false, method = 'GET', seconds = DOWNLOAD_URL_SECONDS }: DownloadOptions,
): Promise<Presigned> {
  const disposition = contentDisposition(
    download || !isRecognizable(contentType) ? 'attachment' : 'inline',
    filename,
  )
  const answer = { contentType, contentDisposition: disposition }
  return store.presignGet(key, answer, seconds, method)
}

/** Returns a URL for the receiver of file.held, who checks the content. */
export async function heldFileUrl(
  deps: Pick<UploadDeps, 'store'>,
  file: Pick<FileRecord, 'key' | 'mimeType' | 'filename'>,
): Promise<string> {
  return (await presignFile(deps, file, { download: true, seconds: HELD_URL_SECONDS })).url
}

const id = z.string().refine(isId)
const bySize = z.tuple([z.literal('largest'), z.int(), id])
const byName = z.tuple([z.literal('name'), z.string().refine(isStorable), id])

/**
 * Returns the `nextCursor` after this file: its ID and, unless the list is sorted by age, the value that it is sorted
 * by.
 */
function encodeCursor(sort: FileSort, { id, size, filename }: ListedFile): string {
  if (sort === 'largest') return encode([sort, size, id])
  if (sort === 'name') return encode([sort, filename, id])
  return id
}

/** @throws AppError BAD_REQUEST if it is not a cursor of this sort order */
function decodeCursor(sort: FileSort, cursor: string): FileCursor {
  if (sort === 'largest') {
    const { data } = bySize.safeParse(decode(cursor))
    if (data) return { size: data[1], id: data[2] }
  } else if (sort === 'name') {
    const { data } = byName.safeParse(decode(cursor))
    if (data) return { filename: data[1], id: data[2] }
  } else if (isId(cursor)) return { id: cursor }
  throw new AppError('BAD_REQUEST', 'Invalid cursor. Use the nextCursor of files.list for the same sort.', {
    fieldErrors: { cursor: ['must be the nextCursor of a previous page with the same sort'] },
  })
}

const encode = (key: unknown[]): string => Buffer.from(JSON.stringify(key)).toString('base64url')

function decode(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString())
  } catch {
    return null
  }
}
