import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileChanged } from '../transport/put-chunk.ts'
import type { Chunk, UploadSource } from '../types.ts'

const PIECE_BYTES = 512 * 1024

/**
 * Creates a source from a file on disk, read as its chunks are sent. For Node.
 * @throws Error from the file system; TypeError if it is not a regular file
 */
export async function fileSource(path: string): Promise<UploadSource> {
  const info = await stat(path)
  if (!info.isFile()) throw new TypeError(`${path} is not a file`)
  const { size, mtimeMs } = info
  return {
    ...{ name: basename(path), type: '', size, lastModified: Math.floor(mtimeMs) },
    slice: (start, end) => chunkOf(path, { size, mtimeMs }, start, Math.min(end, size)),
  }
}

type Version = { size: number; mtimeMs: number }

function chunkOf(path: string, version: Version, start: number, end: number): Chunk {
  const read = async (buffer: Uint8Array, at: number): Promise<number> => {
    // Open it for each read: a queue of thousands of files would run out of descriptors.
    await using file = await open(path).catch((cause: unknown) => {
      throw fileChanged(cause)
    })
    const wanted = Math.min(buffer.length, end - start - at)
    let filled = 0
    while (filled < wanted) {
      const { bytesRead } = await file.read(buffer, filled, wanted - filled, start + at + filled)
      if (bytesRead === 0) throw fileChanged()
      filled += bytesRead
    }
    // Afterwards, so that a change during the read counts too.
    const now = await file.stat()
    if (now.size !== version.size || now.mtimeMs !== version.mtimeMs) throw fileChanged()
    return filled
  }
  return {
    size: end - start,
    read,
    stream: async function* () {
      for (let at = 0; at < end - start; ) {
        const buffer = new Uint8Array(Math.min(PIECE_BYTES, end - start - at))
        at += await read(buffer, at)
        yield buffer
      }
    },
  }
}
