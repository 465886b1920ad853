import { receiveBlob } from '../body.ts'
import { checkWriteConditions } from '../conditions.ts'
import { aclOf, headersToStore } from '../object-headers.ts'
import { emptyReply, type Reply } from '../reply.ts'
import type { S3Request } from '../request.ts'
import type { StoredObject } from '../types.ts'
import { type Context, target } from './context.ts'

/** Handles PutObject. The object appears, or is replaced, only after the last byte has been checked. */
export async function putObject(request: S3Request, context: Context): Promise<Reply> {
  const { store } = context
  const { bucket, key } = target(request)
  const existing = (): StoredObject | undefined => store.bucket(bucket).objects.get(key)
  checkWriteConditions(request, existing())
  const stored = headersToStore(request)
  const { blob, md5, checksums } = await receiveBlob(request, store)
  try {
    // Check again, because another writer could have finished while the bytes arrived.
    checkWriteConditions(request, existing())
    const object: StoredObject = {
      key,
      size: blob.size,
      etag: md5,
      modifiedAt: context.now(),
      blobs: [blob],
      ...stored,
      checksums,
    }
    store.commit({ t: 'put', bucket, object })
    return emptyReply(200, { etag: `"${md5}"`, ...checksumHeaders(checksums) })
  } finally {
    store.blobs.release(blob)
  }
}

/** Handles PutObjectAcl with a canned ACL. Accepts and ignores a grant document. */
export function putObjectAcl(request: S3Request, { store }: Context): Reply {
  const { bucket, key } = target(request)
  const object = store.object(bucket, key)
  store.commit({ t: 'put', bucket, object: { ...object, acl: aclOf(request) ?? object.acl } })
  return emptyReply(200)
}

/** Returns verified checksums as headers. */
export function checksumHeaders(checksums: Record<string, string> | undefined): Record<string, string> {
  const entries = Object.entries(checksums ?? {})
  if (entries.length === 0) return {}
  const headers: Record<string, string> = { 'x-amz-checksum-type': 'FULL_OBJECT' }
  for (const [name, value] of entries) headers[`x-amz-checksum-${name}`] = value
  return headers
}
