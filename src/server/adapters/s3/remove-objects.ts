import { DeleteObjectCommand, DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3'
import { httpStatusOf, isNoSuchKey } from './errors.ts'

/** S3's limit for one DeleteObjects. */
const KEYS_PER_CALL = 1000
/** Up to this many keys, single DeleteObject calls are as fast, and every store supports them. */
const FEW = 2
const CONCURRENT_CALLS = 32

/** Removes objects, whether they exist or not. Returns the keys that were not removed. */
export async function removeObjects(client: S3Client, bucket: string, keys: string[], signal: AbortSignal) {
  const left: string[] = []
  for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
    const some = keys.slice(at, at + KEYS_PER_CALL)
    const remove = some.length <= FEW ? removeSingly : removeTogether
    left.push(...(await remove(client, bucket, some, signal)))
  }
  return left
}

const removeTogether: typeof removeObjects = async (client, bucket, keys, signal) => {
  const command = new DeleteObjectsCommand({
    Bucket: bucket,
    Delete: { Objects: keys.map((Key) => ({ Key })) },
  })
  try {
    const { Deleted = [], Errors = [] } = await client.send(command, { abortSignal: signal })
    const missing = Errors.filter(({ Code }) => Code === 'NoSuchKey')
    const gone = new Set([...Deleted, ...missing].map(({ Key }) => Key))
    return keys.filter((key) => !gone.has(key))
  } catch (error) {
    // GCS has no DeleteObjects (docs/storage.md). If the cause is another one, the single calls fail too.
    if (![400, 404, 405, 411, 501].includes(httpStatusOf(error) ?? 0)) throw error
    return removeSingly(client, bucket, keys, signal)
  }
}

const removeSingly: typeof removeObjects = async (client, bucket, keys, signal) => {
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
  return []
}
