import type { Chunk } from '../types.ts'

/** Reads all bytes of a chunk. */
export async function readChunk(chunk: Chunk): Promise<Uint8Array> {
  const bytes = new Uint8Array(chunk.size)
  let at = 0
  for await (const bytesRead of chunk.stream()) {
    bytes.set(bytesRead, at)
    at += bytesRead.length
  }
  return bytes
}
