import type { BlobRef, CorsRule, StoredObject, StoredPart, StoredUpload } from './types.ts'

/** State of a bucket, without the bytes (`blobs.ts`). */
export type BucketState = {
  name: string
  createdAt: number
  /** Undefined if never set: the initial rules apply. Null if deleted by a request. */
  cors?: CorsRule[] | null
  /** Bucket policy, JSON as received. */
  policy?: string
  /** Document as received. */
  lifecycle?: string
  objects: Map<string, StoredObject>
  uploads: Map<string, StoredUpload>
}

export type StoredUploadHead = Omit<StoredUpload, 'parts'>

/** One change. The journal is a list of changes, and nothing else modifies the state. */
export type Change =
  | { t: 'bucket'; name: string; createdAt: number }
  | { t: 'dropBucket'; name: string }
  | { t: 'cors'; bucket: string; cors: CorsRule[] | null }
  | { t: 'policy'; bucket: string; json?: string }
  | { t: 'lifecycle'; bucket: string; xml?: string }
  | { t: 'put'; bucket: string; object: StoredObject }
  | { t: 'delete'; bucket: string; key: string }
  | { t: 'upload'; bucket: string; upload: StoredUploadHead }
  | { t: 'part'; bucket: string; uploadId: string; part: StoredPart }
  | { t: 'abort'; bucket: string; uploadId: string }
  | { t: 'complete'; bucket: string; uploadId: string; object: StoredObject }

export type State = Map<string, BucketState>

/** Counts references to blobs. */
export type BlobUse = { retain(blob: BlobRef): void; release(blob: BlobRef): void }

/** Applies one change. The same code runs for a request and when the journal is read. */
export function apply(state: State, change: Change, use: BlobUse): void {
  if (change.t === 'bucket') {
    const { name, createdAt } = change
    state.set(name, { name, createdAt, objects: new Map(), uploads: new Map() })
    return
  }
  if (change.t === 'dropBucket') {
    state.delete(change.name)
    return
  }
  const bucket = state.get(change.bucket)
  if (!bucket) return
  switch (change.t) {
    case 'policy':
      bucket.policy = change.json
      return
    case 'cors':
      bucket.cors = change.cors
      return
    case 'lifecycle':
      bucket.lifecycle = change.xml
      return
    case 'put':
      putObject(bucket, change.object, use)
      return
    case 'delete':
      dropBlobs(bucket.objects.get(change.key)?.blobs, use)
      bucket.objects.delete(change.key)
      return
    case 'upload':
      bucket.uploads.set(change.upload.uploadId, { ...change.upload, parts: new Map() })
      return
    case 'part': {
      const parts = bucket.uploads.get(change.uploadId)?.parts
      if (!parts) return
      use.retain(change.part.blob)
      const old = parts.get(change.part.partNumber)
      if (old) use.release(old.blob)
      parts.set(change.part.partNumber, change.part)
      return
    }
    case 'abort':
      dropUpload(bucket, change.uploadId, use)
      return
    case 'complete':
      // The object must retain its blobs before the upload releases them.
      putObject(bucket, change.object, use)
      dropUpload(bucket, change.uploadId, use)
  }
}

function putObject(bucket: BucketState, object: StoredObject, use: BlobUse): void {
  for (const blob of object.blobs) use.retain(blob)
  dropBlobs(bucket.objects.get(object.key)?.blobs, use)
  bucket.objects.set(object.key, object)
}

function dropUpload(bucket: BucketState, uploadId: string, use: BlobUse): void {
  const upload = bucket.uploads.get(uploadId)
  if (!upload) return
  for (const part of upload.parts.values()) use.release(part.blob)
  bucket.uploads.delete(uploadId)
}

function dropBlobs(blobs: BlobRef[] | undefined, use: BlobUse): void {
  for (const blob of blobs ?? []) use.release(blob)
}

/** Yields the shortest list of changes that leads to this state, for compaction. */
export function* snapshot(state: State): Generator<Change> {
  for (const bucket of state.values()) {
    const { name, createdAt } = bucket
    yield { t: 'bucket', name, createdAt }
    if (bucket.policy !== undefined) yield { t: 'policy', bucket: name, json: bucket.policy }
    if (bucket.cors !== undefined) yield { t: 'cors', bucket: name, cors: bucket.cors }
    if (bucket.lifecycle !== undefined) yield { t: 'lifecycle', bucket: name, xml: bucket.lifecycle }
    for (const object of bucket.objects.values()) yield { t: 'put', bucket: name, object }
    for (const { parts, ...upload } of bucket.uploads.values()) {
      yield { t: 'upload', bucket: name, upload }
      for (const part of parts.values()) yield { t: 'part', bucket: name, uploadId: upload.uploadId, part }
    }
  }
}
