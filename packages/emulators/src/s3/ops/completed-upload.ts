import { s3Error } from '../errors.ts'
import type { StoredObject, StoredPart } from '../types.ts'
import type { Context } from './context.ts'

/** The object of a completed upload, where the dialect keeps its parts as objects (Swift) and it is still there. */
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

/** The parts of a completed upload as they are now, which may not be what was completed. */
export function partsOfObject(object: StoredObject): StoredPart[] {
  return (object.manifest?.parts ?? []).map(({ completedEtag: _, ...part }, i) => ({
    ...part,
    blob: object.blobs[i]!,
  }))
}

/** The object with one of its parts replaced; undefined if it has no such part. */
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

/** @throws S3Error BrokenMPU if a part is not what was completed: Swift serves no bytes then, until it is again */
export function checkUnbroken(object: StoredObject): void {
  if (object.manifest?.parts.some((part) => part.etag !== part.completedEtag)) throw s3Error('BrokenMPU')
}
