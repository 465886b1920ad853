import { addAbortSignal, Readable } from 'node:stream'
import {
  CopyObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import { type ObjectInfo, type ObjectStore, plainEtag } from '../../domain/uploads/object-store.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Trace } from '../../kernel/trace.ts'
import {
  ATTEMPT_TIMEOUT_MS,
  createS3Client,
  interruptible,
  LONG_CALL_TIMEOUT_MS,
  MAX_ATTEMPTS,
  type S3Settings,
  sendTraceHeaders,
} from './client.ts'
import { httpStatusOf, isNoSuchKey, isPreconditionFailed } from './errors.ts'
import { multipartStore } from './multipart-store.ts'
import { createPresigner } from './presigner.ts'
import { removeObjects } from './remove-objects.ts'

export type S3ObjectStore = ObjectStore & {
  /** Fails all calls, including those in progress, when the process stops while the store is silent. */
  interrupt(): void
  close(): void
}

/** Object store over the S3 API. */
export function createObjectStore(settings: S3Settings, clock: Clock, trace?: Trace): S3ObjectStore {
  const client = createS3Client(settings)
  if (trace) sendTraceHeaders(client, trace)
  const interrupt = interruptible(client)
  const presign = createPresigner(settings, clock)
  const { uploadCredentials } = settings
  const presignWrites = uploadCredentials
    ? createPresigner({ ...settings, credentials: uploadCredentials }, clock)
    : presign
  const Bucket = settings.bucket
  const get = (Key: string, abortSignal: AbortSignal, Range?: string) =>
    client.send(new GetObjectCommand({ Bucket, Key, Range }), { abortSignal })

  return {
    ...multipartStore(client, Bucket),

    async presignPut(key, contentType, size, { seconds, from }) {
      const headers = { 'content-type': contentType, 'content-length': String(size) }
      const { urls, expiresAt } = await presignWrites([{ method: 'PUT', key, headers }], seconds, from)
      return { url: urls[0]!, expiresAt }
    },

    async presignParts(key, uploadId, parts, seconds) {
      return presignWrites(
        parts.map((part) => ({
          method: 'PUT',
          key,
          headers: { 'content-length': String(part.size) },
          query: { partNumber: String(part.partNumber), uploadId },
        })),
        seconds,
      )
    },

    async presignGet(key, response, seconds, method = 'GET') {
      const query = {
        'response-content-type': response.contentType,
        'response-content-disposition': response.contentDisposition,
      }
      const { urls, expiresAt } = await presign([{ method, key, query }], seconds)
      return { url: urls[0]!, expiresAt }
    },

    async head(key, abortSignal) {
      try {
        return infoOf(await client.send(new HeadObjectCommand({ Bucket, Key: key }), { abortSignal }))
      } catch (error) {
        if (httpStatusOf(error) !== 404) throw error
      }
      // A HEAD response has no body that says whether the object or the bucket is missing. A GET response has one.
      try {
        const got = await get(key, abortSignal)
        destroyBody(got.Body)
        return infoOf(got)
      } catch (error) {
        if (isNoSuchKey(error)) return null
        throw error
      }
    },

    async inspect(key, count, abortSignal) {
      for (let attempt = 1; ; attempt++) {
        const opened = await beginRead(key, count, abortSignal)
        if (opened === null) return null
        const { body, ...info } = opened
        // The SDK's timeouts and retries end with the headers.
        const timeout = AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)
        try {
          const wanted = Math.min(count, info.size)
          const leading = await readBody(body, wanted, AbortSignal.any([abortSignal, timeout]))
          return { ...info, leading }
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || abortSignal.aborted || timeout.aborted) throw error
        }
      }
    },

    async copy(source, target, signal) {
      const abortSignal = AbortSignal.any([signal, AbortSignal.timeout(LONG_CALL_TIMEOUT_MS)])
      const command = new CopyObjectCommand({
        Bucket,
        Key: target.key,
        CopySource: `${Bucket}/${source.key}`,
        CopySourceIfMatch: `"${source.etag}"`,
        MetadataDirective: 'REPLACE',
        ContentType: target.contentType,
        ContentDisposition: target.contentDisposition,
      })
      try {
        await client.send(command, { abortSignal, requestTimeout: LONG_CALL_TIMEOUT_MS })
        return { outcome: 'done' }
      } catch (error) {
        if (signal.aborted) throw error
        if (isPreconditionFailed(error) || isNoSuchKey(error)) return { outcome: 'changed' }
        return { outcome: 'unsure', cause: error }
      }
    },

    async list(prefix, after, abortSignal) {
      const command = new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter: after })
      const { Contents = [], IsTruncated } = await client.send(command, { abortSignal })
      const objects = Contents.flatMap(({ Key, Size = 0 }) => (Key ? [{ key: Key, size: Size }] : []))
      return { objects, more: IsTruncated === true && objects.length > 0 }
    },

    remove: (keys, signal) => removeObjects(client, Bucket, keys, signal),

    interrupt,

    close: () => client.destroy(),
  }

  /** Requests the leading bytes of an object. Returns null if the object is missing. */
  async function beginRead(key: string, count: number, abortSignal: AbortSignal) {
    try {
      const got = await get(key, abortSignal, `bytes=0-${count - 1}`)
      // "bytes 0-4095/1234567". Without it, the response is the whole object.
      const total = /\/(\d+)$/.exec(got.ContentRange ?? '')?.[1]
      if (!got.Body || (got.ContentLength ?? 0) > count) {
        destroyBody(got.Body)
        throw new Error('the store ignores Range')
      }
      return { ...infoOf({ ...got, ...(total && { ContentLength: Number(total) }) }), body: got.Body }
    } catch (error) {
      if (isNoSuchKey(error)) return null
      // An empty object has no range.
      if (httpStatusOf(error) !== 416) throw error
      const got = await get(key, abortSignal)
      if (got.Body && got.ContentLength === 0) return { ...infoOf(got), body: got.Body }
      destroyBody(got.Body)
      throw error
    }
  }
}

async function readBody(
  body: NonNullable<GetObjectCommandOutput['Body']>,
  length: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (body instanceof Readable) addAbortSignal(signal, body)
  const bytes = await body.transformToByteArray()
  if (bytes.length !== length) throw new Error(`the store sent ${bytes.length} bytes instead of ${length}`)
  return bytes
}

function infoOf({ ContentLength, ETag }: { ContentLength?: number; ETag?: string }): ObjectInfo {
  if (ContentLength === undefined || !ETag) throw new Error('the store sent no size or no ETag')
  return { size: ContentLength, etag: plainEtag(ETag) }
}

/** An unread body would keep its connection busy. */
function destroyBody(body: unknown): void {
  if (body instanceof Readable) body.destroy()
}
