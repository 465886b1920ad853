import type { z } from 'zod'
import { createFairSemaphore } from '../fair-semaphore.ts'
import { deleteFile } from './deletion.ts'
import { downloadUrl, fileTotals, isSearch, listFiles, uploadStatus } from './file-queries.ts'
import {
  abortMultipart,
  completeMultipart,
  completePart,
  getPartUrl,
  getPartUrls,
  initiateMultipart,
} from './multipart-upload.ts'
import type { UploadDeps } from './ports.ts'
import { uploadLimits, usage } from './quota.ts'
import { renameFile } from './rename.ts'
import type {
  completePartInput,
  fileTotalsInput,
  initiateMultipartInput,
  listFilesInput,
  partUrlsInput,
  renameFileInput,
  requestUploadUrlInput,
  setThumbnailInput,
} from './schema.ts'
import { confirmUpload, requestUploadUrl } from './simple-upload.ts'
import { readThumbnail, setThumbnail } from './thumbnails.ts'

export type UploadService = ReturnType<typeof createUploadService>

/**
 * The use cases of uploads, all on behalf of one user.
 * They throw AppErrors UNAUTHORIZED, BAD_REQUEST, QUOTA_EXCEEDED, NOT_FOUND and INTERNAL_SERVER_ERROR only.
 */
export function createUploadService(deps: UploadDeps) {
  /**
   * A user's searches run one after another in this process. Each reads all rows of the user, who may have a million: side by
   * side they would take every core and connection of the database from the others.
   */
  const searchInTurn = createFairSemaphore({ maxConcurrentPerKey: 1 })
  return {
    requestUploadUrl: (userId: string, input: z.output<typeof requestUploadUrlInput>) =>
      requestUploadUrl(deps, userId, input),
    confirmUpload: (userId: string, fileId: string) => confirmUpload(deps, userId, fileId),
    initiateMultipart: (userId: string, input: z.output<typeof initiateMultipartInput>) =>
      initiateMultipart(deps, userId, input),
    getPartUrl: (userId: string, fileId: string, partNumber: number) =>
      getPartUrl(deps, userId, fileId, partNumber),
    getPartUrls: (userId: string, input: z.output<typeof partUrlsInput>) => getPartUrls(deps, userId, input),
    completePart: (userId: string, input: z.output<typeof completePartInput>) =>
      completePart(deps, userId, input),
    completeMultipart: (userId: string, fileId: string) => completeMultipart(deps, userId, fileId),
    abortMultipart: (userId: string, fileId: string) => abortMultipart(deps, userId, fileId),
    status: (userId: string, fileId: string) => uploadStatus(deps, userId, fileId),
    list(userId: string, input: z.output<typeof listFilesInput>, signal?: AbortSignal) {
      const list = () => listFiles(deps, userId, input)
      return isSearch(input) ? searchInTurn(userId, list, signal) : list()
    },
    /** Reads as much as a search. */
    totals: (userId: string, filter: z.output<typeof fileTotalsInput>, signal?: AbortSignal) =>
      searchInTurn(userId, () => fileTotals(deps, userId, filter), signal),
    rename: (userId: string, input: z.output<typeof renameFileInput>) => renameFile(deps, userId, input),
    setThumbnail: (userId: string, input: z.output<typeof setThumbnailInput>) =>
      setThumbnail(deps, userId, input),
    thumbnail: (userId: string, fileId: string) => readThumbnail(deps, userId, fileId),
    delete: (userId: string, fileId: string) => deleteFile(deps, userId, fileId),
    downloadUrl: (userId: string, fileId: string, options: Parameters<typeof downloadUrl>[3] = {}) =>
      downloadUrl(deps, userId, fileId, options),
    limits: () => uploadLimits(deps),
    usage: (userId: string) => usage(deps, userId),
  }
}
