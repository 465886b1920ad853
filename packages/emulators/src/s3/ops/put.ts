import { receiveBlob } from '../body.ts'
import { checkWriteConditions } from '../conditions.ts'
import { aclOf, headersToStore } from '../object-headers.ts'
import { emptyReply, type Reply } from '../reply.ts'
import type { Exchange } from '../request.ts'
import type { StoredObject } from '../types.ts'
import { type Context, target } from './context.ts'

/** PutObject: the object appears, or is replaced, only when the last byte has been checked. */
export async function putObject(ex: Exchange, context: Context): Promise<Reply> {
  const { store } = context
  const { bucket, key } = target(ex)
  const existing = (): StoredObject | undefined => store.bucket(bucket).objects.get(key)
  checkWriteConditions(ex, existing())
  const stored = headersToStore(ex)
  const { blob, md5, checksums } = await receiveBlob(ex, store)
  try {
    // Again, because another writer may have come while the bytes did.
    checkWriteConditions(ex, existing())
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

/** PutObjectAcl with a canned ACL; a grant document is accepted and not looked into. */
export function putObjectAcl(ex: Exchange, { store }: Context): Reply {
  const { bucket, key } = target(ex)
  const object = store.object(bucket, key)
  store.commit({ t: 'put', bucket, object: { ...object, acl: aclOf(ex) ?? object.acl } })
  return emptyReply(200)
}

/** Verified checksums as headers. */
export function checksumHeaders(checksums: Record<string, string> | undefined): Record<string, string> {
  const entries = Object.entries(checksums ?? {})
  if (entries.length === 0) return {}
  const headers: Record<string, string> = { 'x-amz-checksum-type': 'FULL_OBJECT' }
  for (const [name, value] of entries) headers[`x-amz-checksum-${name}`] = value
  return headers
}
