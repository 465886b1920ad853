import { open, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { fileChanged } from './put.ts'
import type { Chunk, UploadSource } from './types.ts'

/** Read and sent at once; measured on loopback, smaller pieces cost more turns and larger ones only memory. */
const PIECE_BYTES = 512 * 1024

/**
 * A file on disk, read where and when a chunk of it is sent. For Node.
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
  return {
    size: end - start,
    stream: async function* () {
      // Opened for every chunk: a queue of thousands of files would run out of descriptors.
      await using file = await open(path).catch((cause: unknown) => {
        throw fileChanged(cause)
      })
      const now = await file.stat()
      if (now.size !== version.size || now.mtimeMs !== version.mtimeMs) throw fileChanged()
      for (let at = start; at < end; ) {
        const buffer = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, end - at))
        const { bytesRead } = await file.read(buffer, 0, buffer.length, at)
        if (bytesRead === 0) throw fileChanged()
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
  }
}
