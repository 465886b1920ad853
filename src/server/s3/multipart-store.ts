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
import { isNoSuchKey, isNoSuchUpload, isPartsChanged } from './errors.ts'
import { removeObjects } from './remove-objects.ts'

/** How often an abort is repeated while the store still lists parts of the upload. */
const ABORT_ROUNDS = 5

/** How long a new upload waits for the removal of one whose answer was lost. */
const STRAY_TIMEOUT_MS = 3_000

type MultipartStore = Pick<
  ObjectStore,
  'createUpload' | 'listParts' | 'isUploadListed' | 'completeUpload' | 'abortUpload' | 'abortUploadsOf'
>

export function multipartStore(client: S3Client, bucket: string): MultipartStore {
  const store: MultipartStore = {
    async createUpload(key, contentType, abortSignal) {
      const command = new CreateMultipartUploadCommand({ Bucket: bucket, Key: key, ContentType: contentType })
      const { UploadId, $metadata } = await client.send(command, { abortSignal })
      if (!UploadId) throw new Error('the store created an upload without an id')
      // An attempt whose answer was lost may have created another upload. Nobody knows its id, so no part can arrive:
      // if it cannot be aborted now, it waits for the bucket's lifecycle rule, and this upload goes on.
      if (($metadata.attempts ?? 1) > 1) {
        const bounded = AbortSignal.any([abortSignal, AbortSignal.timeout(STRAY_TIMEOUT_MS)])
        await abortUploads(key, bounded, UploadId).catch(() => {})
        abortSignal.throwIfAborted()
      }
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
          // Ceph's word. Where something else says it (a proxy, another bucket), the upload is still listed.
          if (isNoSuchKey(error) && !(await store.isUploadListed(key, uploadId, abortSignal))) return null
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

    async isUploadListed(key, uploadId, abortSignal) {
      const uploads = await listUploads(key, abortSignal)
      return uploads.includes(uploadId)
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
      let failure: unknown
      for (let round = 0; round < ABORT_ROUNDS; round++) {
        const before = failure
        failure = await client.send(command, { abortSignal: signal }).then(
          () => undefined,
          (error: unknown) => (isNoSuchUpload(error) ? undefined : error),
        )
        signal.throwIfAborted()
        // ListParts decides: some stores fail the abort of an upload that is over. S3's documentation: a part in
        // flight may succeed after an abort. So list the parts, and abort again.
        const parts = await store.listParts(key, uploadId, signal)
        if (parts === null || (failure === undefined && parts.length === 0)) return
        // Swift lists a completed upload, and says NoSuchKey to its abort, as long as its object is there.
        await removeObjects(client, bucket, [key], signal)
        if (failure !== undefined && before !== undefined) break
      }
      throw failure ?? new Error('the store still lists parts of an aborted upload')
    },

    abortUploadsOf: (key, signal) => abortUploads(key, signal),
  }
  return store

  async function abortUploads(key: string, abortSignal: AbortSignal, except?: string): Promise<void> {
    for (const uploadId of await listUploads(key, abortSignal))
      if (uploadId !== except) await store.abortUpload(key, uploadId, abortSignal)
  }

  /** The ids of a key's unfinished uploads. One page: a key has one, and those of initiations whose answers were lost. */
  async function listUploads(key: string, abortSignal: AbortSignal): Promise<string[]> {
    const command = new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: key })
    const { Uploads = [] } = await client.send(command, { abortSignal })
    return Uploads.flatMap(({ Key, UploadId }) => (Key === key && UploadId ? [UploadId] : []))
  }
}
