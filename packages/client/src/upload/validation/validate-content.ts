import { LEADING_BYTES, mismatchingContent } from '../../content-mismatch.ts'
import { ALLOWED_MIME_TYPES } from '../../limits.ts'
import { UploadError } from '../errors.ts'
import { readChunk } from '../sources/read-chunk.ts'
import type { UploadSource } from '../types.ts'
import { detectType } from './detect-type.ts'

/**
 * Rejects a file whose content clearly differs from its type, by the server's rule, before any byte is sent.
 * @throws UploadError CONTENT_MISMATCH, FILE_CHANGED
 */
export async function validateContent(source: UploadSource, mimeType: string): Promise<void> {
  // For types of a policy, only the server knows which content they can have: a document can be a ZIP file.
  if (!(ALLOWED_MIME_TYPES as readonly string[]).includes(mimeType)) return
  const leading = await readChunk(source.slice(0, Math.min(source.size, LEADING_BYTES)))
  const found = await mismatchingContent(leading, mimeType, detectType)
  if (found === undefined) return
  throw new UploadError(
    'CONTENT_MISMATCH',
    `The content is ${found}, not ${mimeType} as its name says. Rename the file or choose another.`,
  )
}
