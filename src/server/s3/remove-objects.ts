import { DeleteObjectCommand, DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3'
import { httpStatusOf, isNoSuchKey } from './errors.ts'

/** S3's limit for one DeleteObjects. */
const KEYS_PER_CALL = 1000
/** Up to this many keys, single DeleteObject calls are as fast, and every store supports them. */
const FEW = 2
const CONCURRENT_CALLS = 32

/** Removes objects, whether they exist or not; returns the keys that are left. */
export async function removeObjects(
  client: S3Client,
  bucket: string,
  keys: string[],
  signal: AbortSignal,
): Promise<string[]> {
  const left: string[] = []
  for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
    const some = keys.slice(at, at + KEYS_PER_CALL)
    if (some.length <= FEW) await removeSingly(client, bucket, some, signal)
    else left.push(...(await removeTogether(client, bucket, some, signal)))
  }
  return left
}

async function removeTogether(client: S3Client, bucket: string, keys: string[], signal: AbortSignal) {
  const command = new DeleteObjectsCommand({
    Bucket: bucket,
    Delete: { Objects: keys.map((Key) => ({ Key })) },
  })
  try {
    const { Deleted = [], Errors = [] } = await client.send(command, { abortSignal: signal })
    const gone = new Set(
      [...Deleted, ...Errors.filter(({ Code }) => Code === 'NoSuchKey')].map(({ Key }) => Key),
    )
    return keys.filter((key) => !gone.has(key))
  } catch (error) {
    // GCS has no DeleteObjects (docs/storage.md). Where the cause is another one, the single calls fail too.
    if (![400, 404, 405, 411, 501].includes(httpStatusOf(error) ?? 0)) throw error
    await removeSingly(client, bucket, keys, signal)
    return []
  }
}

async function removeSingly(client: S3Client, bucket: string, keys: string[], signal: AbortSignal) {
  const queue = keys.values()
  const worker = async () => {
    for (const Key of queue)
      await client
        .send(new DeleteObjectCommand({ Bucket: bucket, Key }), { abortSignal: signal })
        .catch((error: unknown) => {
          if (!isNoSuchKey(error)) throw error
        })
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENT_CALLS, keys.length) }, worker))
}
