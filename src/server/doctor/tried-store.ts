import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { S3ObjectStore } from '../s3/object-store.ts'

/** The bucket and throwaway keys in it, under both prefixes that the service uses. */
export type TriedStore = {
  client: S3Client
  store: S3ObjectStore
  bucket: string
  /** A new key; whatever is there is removed when doctor ends. */
  stagingKey(): string
  finalKey(): string
  signal(): AbortSignal
}

/** PUTs a text over a presigned URL, as clients do. @throws Error with the store's answer */
export async function putObject({ store, signal }: TriedStore, key: string, text: string): Promise<void> {
  const { url } = await store.presignPut(key, 'image/png', text.length, { seconds: 60 })
  const answer = await fetch(url, {
    method: 'PUT',
    body: text,
    headers: { 'content-type': 'image/png' },
    signal: signal(),
  })
  if (!answer.ok) throw new Error(`a presigned PUT was refused: ${answer.status} ${await answer.text()}`)
  await answer.body?.cancel()
}

/** The object's text; null if there is none. */
export async function readObject({ store, signal }: TriedStore, key: string): Promise<string | null> {
  const { url } = await store.presignGet(key, { contentType: 'image/png', contentDisposition: 'inline' }, 60)
  const answer = await fetch(url, { signal: signal() })
  if (answer.status === 404) {
    await answer.body?.cancel()
    return null
  }
  if (!answer.ok) throw new Error(`a presigned GET was refused: ${answer.status} ${await answer.text()}`)
  return answer.text()
}

export async function headObject({ client, bucket, signal }: TriedStore, key: string) {
  return client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: signal() })
}
