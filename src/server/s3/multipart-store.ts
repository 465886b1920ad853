import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type S3Client,
} from '@aws-sdk/client-s3'
import { plainEtag } from '../upload/etag.ts'
import type { ObjectStore, StoredPart } from '../upload/ports.ts'
import { LONG_CALL_TIMEOUT_MS } from './client.ts'
import { isNoSuchUpload, isPartsChanged } from './errors.ts'

/** How often an abort is repeated while the store still lists parts of the upload. */
const ABORT_ROUNDS = 5

type MultipartStore = Pick<
  ObjectStore,
  'createUpload' | 'listParts' | 'completeUpload' | 'abortUpload' | 'abortUploadsOf'
>

export function multipartStore(client: S3Client, bucket: string): MultipartStore {
  const store: MultipartStore = {
    async createUpload(key, contentType, abortSignal) {
      const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key: key, ContentType: contentType })
      const { UploadId, $metadata } = await client.send(command, { abortSignal })
      if (!UploadId) throw new Error('the store created an upload without an id')
      // An attempt whose answer was lost may have created another upload, which nothing else would abort.
      if (($metadata.attempts ?? 1) > 1) await abortUploads(key, abortSignal, UploadId)
      return UploadId
    },

    async listParts(key, uploadId, abortSignal) {
      const parts: StoredPart[] = []
      let marker: string | undefined
      do {
        const command = new ListPartsCommand({
          Bucket: bucket,
          Key: key,
          UploadId: uploadId,
          PartNumberMarker: marker,
        })
        let page: ListPartsCommandOutput
        try {
          page = await client.send(command, { abortSignal })
        } catch (error) {
          if (isNoSuchUpload(error)) return null
          throw error
        }
        for (const part of page.Parts ?? [])
          parts.push({
            partNumber: part.PartNumber ?? 0,
            size: part.Size ?? 0,
            etag: plainEtag(part.ETag ?? ''),
          })
        const next = page.IsTruncated ? page.NextPartNumberMarker : undefined
        if (page.IsTruncated && (!next || next === marker))
          throw new Error('the store truncates its list of parts without a marker for the next page')
        marker = next
      } while (marker)
      return parts.sort((a, b) => a.partNumber - b.partNumber)
    },

    async completeUpload(key, uploadId, parts, signal) {
      const command = new CompleteMultipartUploadCommand({
        Bucket: bucket,
        Key: key,
        UploadId: uploadId,
        MultipartUpload: {
          Parts: parts.map((part) => ({ PartNumber: part.partNumber, ETag: `"${part.etag}"` })),
        },
      })
      try {
        await client.send(command, { abortSignal: signal, requestTimeout: LONG_CALL_TIMEOUT_MS })
        return { outcome: 'done' }
      } catch (error) {
        if (signal.aborted) throw error
        if (isPartsChanged(error)) return { outcome: 'changed' }
        return { outcome: 'unsure', cause: error }
      }
    },

    async abortUpload(key, uploadId, signal) {
      const command = new AbortMultipartUploadCommand({ Bucket: bucket, Key: key, UploadId: uploadId })
      for (let round = 0; round < ABORT_ROUNDS; round++) {
        try {
          await client.send(command, { abortSignal: signal })
        } catch (error) {
          if (!isNoSuchUpload(error)) throw error
        }
        // S3's documentation: a part in flight may succeed after an abort. So list the parts, and abort again.
        if (!(await store.listParts(key, uploadId, signal))?.length) return
      }
      throw new Error('the store still lists parts of an aborted upload')
    },

    abortUploadsOf: (key, signal) => abortUploads(key, signal),
  }
  return store

  async function abortUploads(key: string, abortSignal: AbortSignal, except?: string): Promise<void> {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key })
    const { Uploads = [] } = await client.send(command, { abortSignal })
    for (const { Key, UploadId } of Uploads)
      if (Key === key && UploadId && UploadId !== except) await store.abortUpload(key, UploadId, abortSignal)
  }
}
