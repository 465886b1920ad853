/**
 * Uploads with Uppy: `Pigeonhole` is an uploader for Uppy 5 and 6, and `awsS3Options` are options for @uppy/aws-s3 5:
 * `uppy.use(AwsS3, awsS3Options(uppy, client))`.
 */

import { TRPCClientError } from '@trpc/client'
import type { Client } from '../client.ts'
import { partBytesFor, planParts } from '../parts.ts'
import { chooseTotalParts, kindOf, S3_MAX_PARTS } from '../upload/flows/choose-flow.ts'
import type { UploadOptions } from '../upload/types.ts'
import { mimeTypeOf } from '../upload/validation/mime-type.ts'
import { createPartUrls } from './part-urls.ts'
import { ensureServerFile, fileIdOf, serverFileOf, update } from './server-file.ts'
import type { AwsS3Options, UppyFileLike, UppyLike } from './types.ts'

export { Pigeonhole, type PigeonholeBody, type PigeonholeOptions } from './plugin.ts'
export type { AwsS3Options, PresignedPut, UppyFileLike, UppyLike } from './types.ts'

/** States of uploads that cannot be continued. */
const ENDED: ReadonlySet<string> = new Set(['EXPIRED', 'ABORTED', 'REJECTED'])

/**
 * Returns the options of @uppy/aws-s3 for a Pigeonhole server. Also confirms simple uploads once their bytes are
 * stored: after their `upload-success`, before `complete`. Sets `uploadURL` to the file's URL. Aborts uploads on the
 * server that are removed before they complete. `options`: policy and data of all uploads.
 */
export function awsS3Options(uppy: UppyLike, client: Client, options: UploadOptions = {}): AwsS3Options {
  const partUrl = createPartUrls(client)
  /** File IDs by upload ID: Uppy aborts files that are no longer in its state, and passes their first version. */
  const multipartFiles = new Map<string, string>()
  uppy.addPostProcessor((fileIds) => Promise.all(fileIds.map((id) => confirm(uppy, client, id))))
  uppy.on('file-removed', (file: UppyFileLike) => void removeUnfinished(client, file))

  /**
   * Lets a retry open a new upload if the server has ended this one. Otherwise, its idempotency key would find it for a
   * day.
   */
  async function forgetEnded(file: UppyFileLike): Promise<void> {
    const fileId = serverFileOf(uppy, file)?.fileId
    if (!fileId) return
    // If it fails, the next call also fails, and reports why.
    const status = await client.upload.status.query({ fileId }).catch(() => null)
    if (status && ENDED.has(status.state)) update(uppy, file, undefined)
  }

  /** Opens the upload, or finds it again by its key. Aborts it if the file was removed in the meantime. */
  async function openUpload<T extends { fileId: string }>(
    file: UppyFileLike,
    kind: 'simple' | 'multipart',
    open: (idempotencyKey: string) => Promise<T>,
  ): Promise<T> {
    const serverFile = ensureServerFile(uppy, file, kind)
    const upload = await withStatus(open(serverFile.idempotencyKey))
    update(uppy, file, { ...serverFile, fileId: upload.fileId })
    if (!uppy.getFile(file.id)) await abort(client, kind, upload.fileId)
    return upload
  }

  return {
    shouldUseMultipart: (file) => kindOf(file.size ?? 0) === 'multipart',
    getChunkSize: ({ size }) =>
      planParts(size, chooseTotalParts(size), partBytesFor(size, S3_MAX_PARTS)).partSize,

    async getUploadParameters(file) {
      await forgetEnded(file)
      const { uploadUrl, headers } = await openUpload(file, 'simple', (idempotencyKey) =>
        client.upload.requestUploadUrl.mutate({ ...options, ...describe(file), idempotencyKey }),
      )
      return { method: 'PUT', url: uploadUrl, headers }
    },

    async createMultipartUpload(file) {
      const { fileId, uploadId, key } = await openUpload(file, 'multipart', (idempotencyKey) =>
        client.upload.initiateMultipart.mutate({
          ...options,
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
      // Uppy also aborts failed uploads. A retry is another upload with its own key.
      update(uppy, file, undefined)
      await abort(client, 'multipart', fileId)
    },
  }
}

function describe(file: UppyFileLike): { filename: string; mimeType: string; size: number } {
  const filename = file.name ?? ''
  // The server rejects other types and names the allowed ones.
  return { filename, mimeType: mimeTypeOf(filename, file.type ?? ''), size: file.size ?? 0 }
}

/** Confirms a simple upload whose bytes are stored. Reports a failure as the Uppy file's error. */
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

/** Deletes unfinished simple uploads on the server; @uppy/aws-s3 itself aborts only multipart uploads. */
async function removeUnfinished(client: Client, file: UppyFileLike): Promise<void> {
  const serverFile = (file as { pigeonhole?: ReturnType<typeof serverFileOf> }).pigeonhole
  if (serverFile?.kind !== 'simple' || serverFile.ready || !serverFile.fileId) return
  // If it fails, the sweeper expires the upload.
  await abort(client, 'simple', serverFile.fileId).catch(() => {})
}

async function abort(client: Client, kind: 'simple' | 'multipart', fileId: string): Promise<void> {
  if (kind === 'multipart') await client.upload.abortMultipart.mutate({ fileId })
  else await client.files.delete.mutate({ fileId })
}

/** Adds the HTTP status where @uppy/aws-s3 looks for it when it decides whether to retry. */
async function withStatus<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    const data = error instanceof TRPCClientError ? (error.data as { httpStatus?: number } | null) : null
    throw Object.assign(error as Error, { source: { status: data?.httpStatus ?? 0 } })
  }
}
