import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListPartsCommand,
  type ListPartsCommandOutput,
  type S3Client,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3'
import { type ObjectStore, plainEtag, type StoredPart } from '../../domain/uploads/object-store.ts'
import { LONG_CALL_TIMEOUT_MS } from './client.ts'
import { isNoSuchKey, isNoSuchUpload, isPartsChanged } from './errors.ts'
import { removeObjects } from './remove-objects.ts'

/** Maximum aborts while the store still lists parts of the upload. */
const ABORT_ROUNDS = 5

/** Maximum time that a new upload waits for the removal of one whose response was lost. */
const STRAY_TIMEOUT_MS = 3_000

type MultipartStore = Pick<
  ObjectStore,
  | 'copyPart'
  | 'createUpload'
  | 'listParts'
  | 'isUploadListed'
  | 'completeUpload'
  | 'abortUpload'
  | 'abortUploadsOf'
>

export function multipartStore(client: S3Client, Bucket: string): MultipartStore {
  const store: MultipartStore = {
    async createUpload(
      Key,
      { contentType: ContentType, contentDisposition: ContentDisposition },
      abortSignal,
    ) {
      const command = new CreateMultipartUploadCommand({ Bucket, Key, ContentType, ContentDisposition })
      const { UploadId, $metadata } = await client.send(command, { abortSignal })
      if (!UploadId) throw new Error('the store created an upload without an ID')
      // An attempt whose response was lost may have created another upload. No client has its ID, so no part can
      // arrive. If it cannot be aborted now, the bucket's lifecycle rule removes it.
      if (($metadata.attempts ?? 1) > 1) {
        const bounded = AbortSignal.any([abortSignal, AbortSignal.timeout(STRAY_TIMEOUT_MS)])
        await abortUploads(Key, bounded, UploadId).catch(() => {})
        abortSignal.throwIfAborted()
      }
      return UploadId
    },

    async copyPart(source, { start, end }, { key: Key, uploadId: UploadId, partNumber }, abortSignal) {
      const command = new UploadPartCopyCommand({
        Bucket,
        Key,
        UploadId,
        PartNumber: partNumber,
        CopySource: `${Bucket}/${source.key}`,
        CopySourceIfMatch: `"${source.etag}"`,
        CopySourceRange: `bytes=${start}-${end - 1}`,
      })
      await client.send(command, { abortSignal, requestTimeout: LONG_CALL_TIMEOUT_MS })
    },

    async listParts(Key, UploadId, abortSignal) {
      const parts: StoredPart[] = []
      let marker: string | undefined
      do {
        const command = new ListPartsCommand({ Bucket, Key, UploadId, PartNumberMarker: marker })
        let page: ListPartsCommandOutput
        try {
          page = await client.send(command, { abortSignal })
        } catch (error) {
          if (isNoSuchUpload(error)) return null
          // Ceph's error for an ended upload. If it has another cause (proxy, wrong bucket), the upload is still listed.
          if (isNoSuchKey(error) && !(await store.isUploadListed(Key, UploadId, abortSignal))) return null
          throw error
        }
        for (const { PartNumber = 0, Size = 0, ETag = '' } of page.Parts ?? [])
          parts.push({ partNumber: PartNumber, size: Size, etag: plainEtag(ETag) })
        const next = page.IsTruncated ? page.NextPartNumberMarker : undefined
        if (page.IsTruncated && (!next || next === marker))
          throw new Error('the store truncates its list of parts without a marker for the next page')
        marker = next
      } while (marker)
      return parts.sort((a, b) => a.partNumber - b.partNumber)
    },

    isUploadListed: async (key, uploadId, signal) => (await listUploads(key, signal)).includes(uploadId),

    async completeUpload(Key, UploadId, parts, abortSignal) {
      const Parts = parts.map(({ partNumber, etag }) => ({ PartNumber: partNumber, ETag: `"${etag}"` }))
      const command = new CompleteMultipartUploadCommand({
        Bucket,
        Key,
        UploadId,
        MultipartUpload: { Parts },
      })
      try {
        await client.send(command, { abortSignal, requestTimeout: LONG_CALL_TIMEOUT_MS })
        return { outcome: 'done' }
      } catch (error) {
        if (abortSignal.aborted) throw error
        return isPartsChanged(error) ? { outcome: 'changed' } : { outcome: 'unsure', cause: error }
      }
    },

    async abortUpload(Key, UploadId, signal) {
      const command = new AbortMultipartUploadCommand({ Bucket, Key, UploadId })
      let failure: unknown
      for (let round = 0; round < ABORT_ROUNDS; round++) {
        const before = failure
        failure = await client.send(command, { abortSignal: signal }).then(
          () => undefined,
          (error: unknown) => (isNoSuchUpload(error) ? undefined : error),
        )
        signal.throwIfAborted()
        // ListParts decides, because some stores fail the abort of an ended upload. S3's documentation: parts in flight
        // can succeed after an abort, so list the parts and abort again.
        const parts = await store.listParts(Key, UploadId, signal)
        if (parts === null || (failure === undefined && parts.length === 0)) return
        // Swift lists a completed upload, and returns NoSuchKey for its abort, while its object exists.
        await removeObjects(client, Bucket, [Key], signal)
        if (failure !== undefined && before !== undefined) break
      }
      throw failure ?? new Error('the store still lists parts of an aborted upload')
    },

    abortUploadsOf: (key, signal) => abortUploads(key, signal),
  }
  return store

  async function abortUploads(key: string, signal: AbortSignal, except?: string): Promise<void> {
    for (const uploadId of await listUploads(key, signal))
      if (uploadId !== except) await store.abortUpload(key, uploadId, signal)
  }

  /** Returns the IDs of a key's unfinished uploads. One page suffices: one upload, and those with lost responses. */
  async function listUploads(key: string, abortSignal: AbortSignal): Promise<string[]> {
    const command = new ListMultipartUploadsCommand({ Bucket, Prefix: key })
    const { Uploads = [] } = await client.send(command, { abortSignal })
    return Uploads.flatMap(({ Key, UploadId }) => (Key === key && UploadId ? [UploadId] : []))
  }
}
