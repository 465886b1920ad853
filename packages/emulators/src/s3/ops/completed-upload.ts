import { s3Error } from '../errors.ts'
import type { StoredObject, StoredPart } from '../types.ts'
import type { Context } from './context.ts'

/**
 * Returns the object of a completed upload, if the dialect keeps parts as objects (Swift) and the object still exists.
 */
export function completedUpload(
  { store, dialect }: Context,
  bucket: string,
  key: string,
  uploadId: string,
): StoredObject | undefined {
  if (!dialect.partsAreObjects) return undefined
  const object = store.bucket(bucket).objects.get(key)
  return object?.manifest?.uploadId === uploadId ? object : undefined
}

/** Returns the current parts of a completed upload, which can differ from the completed ones. */
export function partsOfObject(object: StoredObject): StoredPart[] {
  return (object.manifest?.parts ?? []).map(({ completedEtag: _, ...part }, i) => ({
    ...part,
    blob: object.blobs[i]!,
  }))
}

/** Returns the object with one part replaced, or undefined if it has no such part. */
export function withPart(object: StoredObject, part: StoredPart): StoredObject | undefined {
  const { manifest } = object
  const index = manifest?.parts.findIndex((one) => one.partNumber === part.partNumber) ?? -1
  if (!manifest || index < 0) return undefined
  const { blob, checksums: _, ...rest } = part
  return {
    ...object,
    blobs: object.blobs.with(index, blob),
    manifest: {
      ...manifest,
      parts: manifest.parts.with(index, {
        ...rest,
        completedEtag: manifest.parts[index]!.completedEtag,
      }),
    },
  }
}

/**
 * Checks that no part was replaced after completion: Swift then serves no bytes until it is restored.
 * @throws S3Error BrokenMPU
 */
export function checkUnbroken(object: StoredObject): void {
  if (object.manifest?.parts.some((part) => part.etag !== part.completedEtag)) throw s3Error('BrokenMPU')
}
