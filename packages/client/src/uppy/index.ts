/** Uploads with Uppy and @uppy/aws-s3 5, whose interface stays Uppy's: `uppy.use(AwsS3, awsS3Options(uppy, client))`. */

import { TRPCClientError } from '@trpc/client'
import type { Client } from '../client.ts'
import type { MimeType } from '../limits.ts'
import { planParts } from '../parts.ts'
import { chooseTotalParts, kindOf } from '../upload/flows/choose-flow.ts'
import { mimeTypeOf } from '../upload/validation/mime-type.ts'
import { createPartUrls } from './part-urls.ts'
import { ensureServerFile, fileIdOf, serverFileOf, update } from './server-file.ts'
import type { AwsS3Options, UppyFileLike, UppyLike } from './types.ts'

export type { AwsS3Options, PresignedPut, UppyFileLike, UppyLike } from './types.ts'

/**
 * The options of @uppy/aws-s3 for a Pigeonhole server. Also confirms simple uploads once their bytes are stored
 * (`upload-success` of those comes before, `complete` after it), sets `uploadURL` to the file's URL, and ends at the
 * server what is removed before it is complete.
 */
export function awsS3Options(uppy: UppyLike, client: Client): AwsS3Options {
  const partUrl = createPartUrls(client)
  /** By upload id: Uppy aborts files that are no longer in its state, and passes them as they were at first. */
  const multipartFiles = new Map<string, string>()
  uppy.addPostProcessor((fileIds) => Promise.all(fileIds.map((id) => confirm(uppy, client, id))))
  uppy.on('file-removed', (file: UppyFileLike) => void removeUnfinished(client, file))

  /** Opens the upload, or finds it again by its key. A file that was removed meanwhile is ended at the server too. */
  async function opened<T extends { fileId: string }>(
    file: UppyFileLike,
    kind: 'simple' | 'multipart',
    open: (idempotencyKey: string) => Promise<T>,
  ): Promise<T> {
    const serverFile = ensureServerFile(uppy, file, kind)
    const answer = await withStatus(open(serverFile.idempotencyKey))
    update(uppy, file, { ...serverFile, fileId: answer.fileId })
    if (!uppy.getFile(file.id)) await end(client, kind, answer.fileId)
    return answer
  }

  return {
    shouldUseMultipart: (file) => kindOf(file.size ?? 0) === 'multipart',
    getChunkSize: ({ size }) => planParts(size, chooseTotalParts(size)).partSize,

    async getUploadParameters(file) {
      const { uploadUrl, headers } = await opened(file, 'simple', (idempotencyKey) =>
        client.upload.requestUploadUrl.mutate({ ...describe(file), idempotencyKey }),
      )
      return { method: 'PUT', url: uploadUrl, headers }
    },

    async createMultipartUpload(file) {
      const { fileId, uploadId, key } = await opened(file, 'multipart', (idempotencyKey) =>
        client.upload.initiateMultipart.mutate({
          ...describe(file),
          totalParts: chooseTotalParts(file.size ?? 0),
          idempotencyKey,
        }),
      )
      multipartFiles.set(uploadId, fileId)
      return { uploadId, key }
    },

    signPart: (file, { partNumber }) => withStatus(partUrl(fileIdOf(uppy, file), partNumber)),

    async listParts(file) {
      const { parts } = await withStatus(client.upload.status.query({ fileId: fileIdOf(uppy, file) }))
      return (parts ?? []).map(({ partNumber, size, etag }) => ({
        PartNumber: partNumber,
        Size: size,
        ETag: etag,
      }))
    },

    async completeMultipartUpload(file) {
      const fileId = fileIdOf(uppy, file)
      const { file: uploaded } = await withStatus(client.upload.completeMultipart.mutate({ fileId }))
      update(uppy, file, { ...serverFileOf(uppy, file)!, ready: true })
      return { location: uploaded.url }
    },

    async abortMultipartUpload(file, { uploadId = '' }) {
      const fileId = multipartFiles.get(uploadId) ?? fileIdOf(uppy, file)
      multipartFiles.delete(uploadId)
      // Uppy aborts what failed, too: a retry is another upload, with a key of its own.
      update(uppy, file, undefined)
      await end(client, 'multipart', fileId)
    },
  }
}

function describe(file: UppyFileLike): { filename: string; mimeType: MimeType; size: number } {
  const filename = file.name ?? ''
  // The server names the allowed types if it is none of them.
  return { filename, mimeType: mimeTypeOf(filename, file.type ?? '') as MimeType, size: file.size ?? 0 }
}

/** Turns a simple upload whose bytes are stored into a file. A failure becomes the Uppy file's. */
async function confirm(uppy: UppyLike, client: Client, id: string): Promise<void> {
  const file = uppy.getFile(id)
  const serverFile = file && serverFileOf(uppy, file)
  if (!file || !serverFile?.fileId || file.error || serverFile.kind === 'multipart') return
  uppy.emit('postprocess-progress', file, { mode: 'indeterminate', message: '' })
  try {
    const { file: uploaded } = await client.upload.confirmUpload.mutate({ fileId: serverFile.fileId })
    if (uppy.getFile(id)) uppy.setFileState(id, { uploadURL: uploaded.url })
    update(uppy, file, { ...serverFile, ready: true })
  } catch (error) {
    uppy.emit('upload-error', file, error as Error)
  } finally {
    if (uppy.getFile(id)) uppy.emit('postprocess-complete', uppy.getFile(id))
  }
}

/** @uppy/aws-s3 ends multipart uploads itself, and knows nothing of simple ones. */
async function removeUnfinished(client: Client, file: UppyFileLike): Promise<void> {
  const serverFile = (file as { pigeonhole?: ReturnType<typeof serverFileOf> }).pigeonhole
  if (serverFile?.kind !== 'simple' || serverFile.ready || !serverFile.fileId) return
  // If it fails, the sweeper expires the upload.
  await end(client, 'simple', serverFile.fileId).catch(() => {})
}

async function end(client: Client, kind: 'simple' | 'multipart', fileId: string): Promise<void> {
  if (kind === 'multipart') await client.upload.abortMultipart.mutate({ fileId })
  else await client.files.delete.mutate({ fileId })
}

/** With the HTTP status where @uppy/aws-s3 looks for it, to decide whether to try again. */
async function withStatus<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const data = error instanceof TRPCClientError ? (error.data as { httpStatus?: number } | null) : null
    throw Object.assign(error as Error, { source: { status: data?.httpStatus ?? 0 } })
  }
}
