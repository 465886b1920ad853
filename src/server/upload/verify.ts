import { contentFault, LEADING_BYTES } from './policy.ts'
import type { FileRecord, ObjectInfo, ObjectStore } from './ports.ts'

/**
 * Whether an object in the store is what was declared: its size, and by its leading bytes no other type.
 * `changed`: it was replaced while we looked.
 */
export async function objectFault(
  store: ObjectStore,
  file: Pick<FileRecord, 'size' | 'mimeType'>,
  key: string,
  object: ObjectInfo,
  signal: AbortSignal,
): Promise<{ fault: string | undefined } | 'changed'> {
  if (object.size !== file.size)
    return {
      fault: `The object store received ${object.size} bytes, not ${file.size} as declared. The upload was removed; start a new one.`,
    }
  const leading = await store.leadingBytes(key, object, LEADING_BYTES, signal)
  if (leading === 'changed') return 'changed'
  return { fault: await contentFault(leading, file.mimeType) }
}
