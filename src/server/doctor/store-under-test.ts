import { HeadObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import type { S3ObjectStore } from '../adapters/s3/object-store.ts'
import { timeLimit } from './peer.ts'

/** Bucket under test, with throwaway keys under each of the service's prefixes. */
export type StoreUnderTest = {
  client: S3Client
  store: S3ObjectStore
  bucket: string
  /** Returns a new key. Doctor removes its object at the end. */
  stagingKey(): string
  finalKey(): string
  publicKey(): string
}

/** PUTs a text to a presigned URL for `size` bytes and a new staging key, as clients do. */
export async function putSigned(
  { store, stagingKey }: StoreUnderTest,
  body: string,
  { headers, size = body.length }: { headers?: Record<string, string>; size?: number } = {},
) {
  const key = stagingKey()
  const { url } = await store.presignPut(key, 'image/png', size, { seconds: 60 })
  const response = await fetch(url, {
    method: 'PUT',
    body,
    headers: { 'content-type': 'image/png', ...headers },
    signal: timeLimit(),
  })
  return { status: response.status, text: await response.text(), key, url }
}

/** Stores a text and returns its staging key. @throws Error with the store's response */
export async function putObject(underTest: StoreUnderTest, body: string): Promise<string> {
  const { status, text, key } = await putSigned(underTest, body)
  if (status >= 300) throw new Error(`a presigned PUT was rejected: ${status} ${text}`)
  return key
}

/** PUTs a part to a URL. Sends bytes: to text, fetch would add an unsigned Content-Type, which Ceph rejects. */
export function putPart(url: string, body: string, headers?: Record<string, string>): Promise<Response> {
  return fetch(url, { method: 'PUT', body: new TextEncoder().encode(body), headers, signal: timeLimit() })
}

/**
 * Returns the object's text, or null if it is missing.
 * @throws Error with the store's response, unless `conflict` is given: then that is returned for a 409
 */
export async function readObject<Conflict = never>(
  { store }: StoreUnderTest,
  key: string,
  conflict?: Conflict,
): Promise<string | null | Conflict> {
  const { url } = await store.presignGet(key, { contentType: 'image/png', contentDisposition: 'inline' }, 60)
  const response = await fetch(url, { signal: timeLimit() })
  const text = await response.text()
  if (response.status === 404) return null
  if (response.status === 409 && conflict !== undefined) return conflict
  if (!response.ok) throw new Error(`a presigned GET was rejected: ${response.status} ${text}`)
  return text
}

export function headObject({ client, bucket }: StoreUnderTest, key: string) {
  return client.send(new HeadObjectCommand({ Bucket: bucket, Key: key }), { abortSignal: timeLimit() })
}
