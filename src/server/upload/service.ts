import type { z } from 'zod'
import { abortMultipart } from './abort.ts'
import { beginMultipart, beginSimple } from './begin.ts'
import { completeMultipart } from './complete.ts'
import { confirmUpload } from './confirm.ts'
import { deleteFile } from './delete.ts'
import type { UploadDeps } from './deps.ts'
import { completePart, getPartUrl, getPartUrls } from './multipart.ts'
import { downloadUrl, listFiles, uploadStatus, usage } from './queries.ts'
import type {
  completePartInput,
  initiateMultipartInput,
  listFilesInput,
  partUrlsInput,
  requestUploadUrlInput,
} from './schema.ts'

export type UploadService = ReturnType<typeof createUploadService>

/** The use cases of uploads, all on behalf of one user. Errors are AppErrors with one of the five codes of docs/spec.md section 7. */
export function createUploadService(deps: UploadDeps) {
  return {
    requestUploadUrl: (userId: string, input: z.output<typeof requestUploadUrlInput>) =>
      beginSimple(deps, userId, input),
    confirmUpload: (userId: string, fileId: string) => confirmUpload(deps, userId, fileId),
    initiateMultipart: (userId: string, input: z.output<typeof initiateMultipartInput>) =>
      beginMultipart(deps, userId, input),
    getPartUrl: (userId: string, fileId: string, partNumber: number) =>
      getPartUrl(deps, userId, fileId, partNumber),
    getPartUrls: (userId: string, input: z.output<typeof partUrlsInput>) => getPartUrls(deps, userId, input),
    completePart: (userId: string, input: z.output<typeof completePartInput>) =>
      completePart(deps, userId, input),
    completeMultipart: (userId: string, fileId: string) => completeMultipart(deps, userId, fileId),
    abortMultipart: (userId: string, fileId: string) => abortMultipart(deps, userId, fileId),
    status: (userId: string, fileId: string) => uploadStatus(deps, userId, fileId),
    list: (userId: string, input: z.output<typeof listFilesInput>) => listFiles(deps, userId, input),
    delete: (userId: string, fileId: string) => deleteFile(deps, userId, fileId),
    downloadUrl: (userId: string, fileId: string, download: boolean, method?: 'GET' | 'HEAD') =>
      downloadUrl(deps, userId, fileId, download, method),
    usage: (userId: string) => usage(deps, userId),
  }
}
