import { addAbortSignal, Readable } from 'node:stream'
import {
  CopyObjectCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3'
import type { Clock } from '../clock.ts'
import type { Trace } from '../trace.ts'
import { plainEtag } from '../upload/etag.ts'
import type { ObjectInfo, ObjectStore } from '../upload/ports.ts'
import {
  ATTEMPT_TIMEOUT_MS,
  createS3Client,
  LONG_CALL_TIMEOUT_MS,
  MAX_ATTEMPTS,
  type S3Settings,
  sendTraceHeaders,
} from './client.ts'
import { httpStatusOf, isNoSuchKey, isPreconditionFailed } from './errors.ts'
import { interruptible } from './interruptible.ts'
import { multipartStore } from './multipart-store.ts'
import { createPresigner } from './presigner.ts'
import { removeObjects } from './remove-objects.ts'

export type S3ObjectStore = ObjectStore & {
  /** Fails all calls, those in progress too: the process is stopping, and its store does not answer. */
  interrupt(): void
  close(): void
}

/** The object store over the S3 API. */
export function createObjectStore(settings: S3Settings, clock: Clock, trace?: Trace): S3ObjectStore {
  const client = createS3Client(settings)
  if (trace) sendTraceHeaders(client, trace)
  const interrupt = interruptible(client)
  const presign = createPresigner(settings, clock)
  const Bucket = settings.bucket

  return {
    ...multipartStore(client, Bucket),

    async presignPut(key, contentType, size, { seconds, from }) {
      const headers = { 'content-type': contentType, 'content-length': String(size) }
      const { urls, expiresAt } = await presign([{ method: 'PUT', key, headers }], seconds, from)
      return { url: urls[0]!, expiresAt }
    },

    async presignParts(key, uploadId, parts, seconds) {
      return presign(
        parts.map((part) => ({
          method: 'PUT',
          key,
          headers: { 'content-length': String(part.size) },
          query: { partNumber: String(part.partNumber), uploadId },
        })),
        seconds,
      )
    },

    async presignGet(key, answer, seconds, method = 'GET') {
      const query = {
        'response-content-type': answer.contentType,
        'response-content-disposition': answer.contentDisposition,
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
      // An answer to HEAD has no body to say what is missing, the object or the bucket. An answer to GET has one.
      try {
        const got = await client.send(new GetObjectCommand({ Bucket, Key: key }), { abortSignal })
        destroyBody(got.Body)
        return infoOf(got)
      } catch (error) {
        if (isNoSuchKey(error)) return null
        throw error
      }
    },

    async inspect(key, count, abortSignal) {
      for (let attempt = 1; ; attempt++) {
        const begun = await beginRead(key, count, abortSignal)
        if (begun === null) return null
        const { body, ...info } = begun
        // The SDK's timeouts end with the headers, and so do its repetitions.
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
      try {
        await client.send(
          new CopyObjectCommand({
            Bucket,
            Key: target.key,
            CopySource: `${Bucket}/${source.key}`,
            CopySourceIfMatch: `"${source.etag}"`,
            MetadataDirective: 'REPLACE',
            ContentType: target.contentType,
          }),
          { abortSignal, requestTimeout: LONG_CALL_TIMEOUT_MS },
        )
        return { outcome: 'done' }
      } catch (error) {
        if (signal.aborted) throw error
        if (isPreconditionFailed(error) || isNoSuchKey(error)) return { outcome: 'changed' }
        return { outcome: 'unsure', cause: error }
      }
    },

    async list(prefix, after, abortSignal) {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: prefix, StartAfter: after }),
        { abortSignal },
      )
      const objects = (page.Contents ?? []).flatMap(({ Key, Size }) =>
        Key ? [{ key: Key, size: Size ?? 0 }] : [],
      )
      return { objects, more: page.IsTruncated === true && objects.length > 0 }
    },

    remove: (keys, signal) => removeObjects(client, Bucket, keys, signal),

    interrupt,

    close: () => client.destroy(),
  }

  /** Null: no object there. */
  async function beginRead(key: string, count: number, abortSignal: AbortSignal) {
    const object = { Bucket, Key: key }
    try {
      const got = await client.send(new GetObjectCommand({ ...object, Range: `bytes=0-${count - 1}` }), {
        abortSignal,
      })
      // "bytes 0-4095/1234567". Without it the answer is the whole object.
      const total = /\/(\d+)$/.exec(got.ContentRange ?? '')?.[1]
      if (!got.Body || (got.ContentLength ?? 0) > count) {
        destroyBody(got.Body)
        throw new Error('the store ignores Range')
      }
      return { ...infoOf({ ...got, ...(total && { ContentLength: Number(total) }) }), body: got.Body }
    } catch (error) {
      if (isNoSuchKey(error)) return null
      // An empty object has no range at all.
      if (httpStatusOf(error) !== 416) throw error
      const got = await client.send(new GetObjectCommand(object), { abortSignal })
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

function infoOf(answer: { ContentLength?: number; ETag?: string }): ObjectInfo {
  if (answer.ContentLength === undefined || !answer.ETag) throw new Error('the store sent no size or no ETag')
  return { size: answer.ContentLength, etag: plainEtag(answer.ETag) }
}

/** An unread body would keep its connection busy. */
function destroyBody(body: unknown): void {
  if (body instanceof Readable) body.destroy()
}
