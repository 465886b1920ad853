import { createFairSemaphore } from '../../kernel/fair-semaphore.ts'
import { deleteFile } from './deletion.ts'
import { setVisibility } from './file-moves.ts'
import { downloadUrl, fileTotals, isSearch, listFiles, renameFile, uploadStatus } from './file-queries.ts'
import {
  abortMultipart,
  completeMultipart,
  completePart,
  getPartUrl,
  getPartUrls,
  initiateMultipart,
} from './multipart-upload.ts'
import { uploadLimits, usage } from './quota.ts'
import type { DeleteFileInput, FileTotalsInput, ListFilesInput } from './schema.ts'
import { confirmUpload, requestUploadUrl } from './simple-upload.ts'
import type { Sweeper } from './sweeper.ts'
import { readThumbnail, setThumbnail } from './thumbnails.ts'
import { emptyTrash, listTrash, restoreFile } from './trash.ts'
import type { UploadDeps } from './upload-deps.ts'

export type UploadService = ReturnType<typeof createUploadService>

/**
 * Binds the use cases of uploads, which all act for one user.
 * They throw AppErrors UNAUTHORIZED, BAD_REQUEST, QUOTA_EXCEEDED, NOT_FOUND and INTERNAL_SERVER_ERROR only.
 */
export function createUploadService(deps: UploadDeps, sweeper: Pick<Sweeper, 'sweep'>) {
  /**
   * Runs a user's searches one after another in this process. Each reads all rows of the user, who can have a million;
   * concurrent ones would take all cores and connections of the database.
   */
  const searchInTurn = createFairSemaphore({ maxConcurrentPerKey: 1 })
  return {
    requestUploadUrl: requestUploadUrl.bind(null, deps),
    confirmUpload: confirmUpload.bind(null, deps),
    initiateMultipart: initiateMultipart.bind(null, deps),
    getPartUrl: getPartUrl.bind(null, deps),
    getPartUrls: getPartUrls.bind(null, deps),
    completePart: completePart.bind(null, deps),
    completeMultipart: completeMultipart.bind(null, deps),
    abortMultipart: abortMultipart.bind(null, deps),
    status: uploadStatus.bind(null, deps),
    list(userId: string, input: ListFilesInput, signal?: AbortSignal) {
      const list = () => listFiles(deps, userId, input)
      return isSearch(input) ? searchInTurn(userId, list, signal) : list()
    },
    totals: (userId: string, filter: FileTotalsInput, signal?: AbortSignal) =>
      searchInTurn(userId, () => fileTotals(deps, userId, filter), signal),
    rename: renameFile.bind(null, deps),
    setVisibility: setVisibility.bind(null, deps),
    setThumbnail: setThumbnail.bind(null, deps),
    thumbnail: readThumbnail.bind(null, deps),
    delete: (userId: string, { fileId, trash }: DeleteFileInput) =>
      deleteFile(deps, userId, fileId, { trash }),
    trash: listTrash.bind(null, deps),
    restore: restoreFile.bind(null, deps),
    emptyTrash: (userId: string) => emptyTrash(deps, sweeper, userId),
    downloadUrl: downloadUrl.bind(null, deps),
    limits: uploadLimits.bind(null, deps),
    usage: usage.bind(null, deps),
  }
}
