import { mkdirSync } from 'node:fs'
import { Blobs } from './blobs.ts'
import { s3Error } from './errors.ts'
import { Journal } from './journal.ts'
import { apply, type BucketState, type Change, type State, snapshot } from './state.ts'
import type { BlobRef, CorsRule, StoredObject, StoredUpload } from './types.ts'

export type UnreachablePart = { bucket: string; key: string; blob: BlobRef }

/**
 * Buckets, objects and uploads of one directory: the state in memory, its journal and the blobs on disk. Only one
 * process can use a directory at a time.
 */
export class Store {
  readonly blobs: Blobs
  readonly #journal: Journal
  readonly #state: State = new Map()
  readonly #unreachableParts: UnreachablePart[] = []
  readonly #sorted = new Map<string, string[]>()

  constructor(options: { dir: string; fsync?: boolean }) {
    mkdirSync(options.dir, { recursive: true })
    this.blobs = new Blobs(options.dir, options.fsync ?? false)
    this.#journal = new Journal(options.dir, options.fsync ?? false)
    for (const change of this.#journal.read()) apply(this.#state, change, this.blobs)
    this.#journal.restart(snapshot(this.#state))
    this.blobs.sweep()
  }

  /** Records a change, then makes it visible. Synchronous, so that preceding checks still hold. */
  commit(change: Change): void {
    this.#journal.append(change)
    const known = change.t === 'put' && this.#state.get(change.bucket)?.objects.has(change.object.key)
    apply(this.#state, change, this.blobs)
    const touchesKeys = change.t === 'put' || change.t === 'delete' || change.t === 'complete'
    if (touchesKeys && !known) this.#sorted.delete(change.bucket)
    if (change.t === 'dropBucket') this.#sorted.delete(change.name)
  }

  buckets(): BucketState[] {
    return [...this.#state.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  findBucket(name: string): BucketState | undefined {
    return this.#state.get(name)
  }

  /** Returns the bucket. @throws S3Error NoSuchBucket */
  bucket(name: string): BucketState {
    const found = this.#state.get(name)
    if (!found) throw s3Error('NoSuchBucket', undefined, { BucketName: name })
    return found
  }

  /** Returns the object. @throws S3Error NoSuchKey, NoSuchBucket */
  object(bucket: string, key: string): StoredObject {
    const found = this.bucket(bucket).objects.get(key)
    if (!found) throw s3Error('NoSuchKey', undefined, { Key: key })
    return found
  }

  /** Returns the upload. @throws S3Error NoSuchUpload, even if the ID belongs to another key */
  upload(bucket: string, key: string, uploadId: string): StoredUpload {
    const found = this.findUpload(bucket, key, uploadId)
    if (!found) throw s3Error('NoSuchUpload', undefined, { UploadId: uploadId })
    return found
  }

  /** Returns the upload, if it exists. @throws S3Error NoSuchBucket */
  findUpload(bucket: string, key: string, uploadId: string): StoredUpload | undefined {
    const found = this.bucket(bucket).uploads.get(uploadId)
    return found?.key === key ? found : undefined
  }

  /** Keeps a part that no request of the S3 API can reach. Lost at the next start, because the journal omits it. */
  keepUnreachablePart(bucket: string, key: string, blob: BlobRef): void {
    this.blobs.retain(blob)
    this.#unreachableParts.push({ bucket, key, blob })
  }

  unreachableParts(): readonly UnreachablePart[] {
    return this.#unreachableParts
  }

  /** Returns keys in the order of their UTF-8 bytes, which differs from JavaScript's outside the BMP. */
  sortedKeys(bucket: string): string[] {
    const known = this.#sorted.get(bucket)
    if (known) return known
    const keys = [...this.bucket(bucket).objects.keys()].sort(compareKeys)
    this.#sorted.set(bucket, keys)
    return keys
  }

  /** Returns the CORS rules of a bucket, or the initial ones if none were set. */
  corsOf(bucket: string, byDefault: CorsRule[] | undefined): CorsRule[] | undefined {
    const cors = this.#state.get(bucket)?.cors
    if (cors === null) return undefined
    return cors ?? byDefault
  }

  /** Runs `use` while retaining the blobs, even if the object is replaced in the meantime. */
  async pinned<T>(blobs: readonly BlobRef[], use: () => Promise<T>): Promise<T> {
    const release = this.pin(blobs)
    try {
      return await use()
    } finally {
      release()
    }
  }

  /** Retains blobs until the returned function is called. */
  pin(blobs: readonly BlobRef[]): () => void {
    for (const blob of blobs) this.blobs.retain(blob)
    return () => {
      for (const blob of blobs) this.blobs.release(blob)
    }
  }

  close(): void {
    this.#journal.close()
  }
}

/** Compares UTF-8 bytes, and thus code points: surrogates come after U+FFFF. */
export function compareKeys(a: string, b: string): number {
  const shared = Math.min(a.length, b.length)
  for (let i = 0; i < shared; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return rank(x) - rank(y)
  }
  return a.length - b.length
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}
