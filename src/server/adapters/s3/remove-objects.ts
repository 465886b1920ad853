import { DeleteObjectCommand, DeleteObjectsCommand, type S3Client } from '@aws-sdk/client-s3'
import { httpStatusOf, isNoSuchKey } from './errors.ts'

/** S3's limit for one DeleteObjects. */
const KEYS_PER_CALL = 1000
/** Up to this many keys, single DeleteObject calls are as fast, and every store supports them. */
const FEW = 2
const CONCURRENT_CALLS = 32

/** Removes objects, whether they exist or not. Returns the keys that were not removed, with the store's errors. */
export async function removeObjects(
  client: S3Client,
  bucket: string,
  keys: string[],
  signal: AbortSignal,
): Promise<Map<string, unknown>> {
  const left = new Map<string, unknown>()
  for (let at = 0; at < keys.length; at += KEYS_PER_CALL) {
    const some = keys.slice(at, at + KEYS_PER_CALL)
    const remove = some.length <= FEW ? removeSingly : removeTogether
    for (const [key, error] of await remove(client, bucket, some, signal)) left.set(key, error)
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
    const errorOf = new Map(Errors.map((error) => [error.Key, error]))
    const gone = new Set(Deleted.map(({ Key }) => Key))
    const left = keys.filter((key) => !gone.has(key) && errorOf.get(key)?.Code !== 'NoSuchKey')
    return new Map(left.map((key) => [key, removalError(errorOf.get(key))]))
  } catch (error) {
    // GCS has no DeleteObjects (docs/storage.md). If the cause is another one, the single calls fail too.
    if (![400, 404, 405, 411, 501].includes(httpStatusOf(error) ?? 0)) throw error
    return removeSingly(client, bucket, keys, signal)
  }
}

function removalError(entry?: { Code?: string; Message?: string }): Error {
  const { Code, Message = 'The store did not remove the object.' } = entry ?? {}
  return Object.assign(new Error(Message), Code !== undefined && { name: Code })
}

/**
 * One object that cannot be removed, such as one under a retention, holds up no other. Throws only if no key was removed.
 */
const removeSingly: typeof removeObjects = async (client, bucket, keys, signal) => {
  const left = new Map<string, unknown>(keys.map((key) => [key, undefined]))
  const queue = keys.values()
  const worker = async () => {
    for (const Key of queue) {
      if (signal.aborted) return
      try {
        await client.send(new DeleteObjectCommand({ Bucket: bucket, Key }), { abortSignal: signal })
        left.delete(Key)
      } catch (error) {
        if (isNoSuchKey(error)) left.delete(Key)
        else left.set(Key, error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(CONCURRENT_CALLS, keys.length) }, worker))
  // The keys without an error are those that were not tried in time.
  for (const [key, error] of left) left.set(key, error ?? signal.reason)
  if (left.size === keys.length) throw [...left.values()][0]
  return left
}
