import { fileChanged } from '../transport/put-chunk.ts'
import type { Chunk } from '../types.ts'

/** Names of the errors that browsers throw when they read a file that was changed, moved or deleted. */
const UNREADABLE = ['NotReadableError', 'NotFoundError']

/**
 * Reads all bytes of a chunk.
 * @throws UploadError FILE_CHANGED
 */
export async function readChunk(chunk: Chunk): Promise<Uint8Array> {
  const bytes = new Uint8Array(chunk.size)
  let at = 0
  try {
    for await (const bytesRead of chunk.stream()) {
      bytes.set(bytesRead, at)
      at += bytesRead.length
    }
  } catch (error) {
    throw error instanceof Error && UNREADABLE.includes(error.name) ? fileChanged(error) : error
  }
  return bytes
}
