import type { Chunk, UploadSource } from '../types.ts'

/** Smaller chunks are read in one call, because a stream takes several turns of the event loop. */
const SMALL_BYTES = 256 * 1024

/** Creates a source from a File of a picker or drop. With a handle, it can be read again after a reload. */
export function blobSource(file: File, handle?: FileSystemFileHandle): UploadSource {
  return {
    ...{ name: file.name, type: file.type, size: file.size, lastModified: file.lastModified },
    ...(handle && { attachment: handle }),
    slice: (start, end) => chunkOf(file.slice(start, end)),
  }
}

function chunkOf(blob: Blob): Chunk {
  return {
    size: blob.size,
    blob,
    stream: async function* () {
      if (blob.size <= SMALL_BYTES) {
        yield new Uint8Array(await blob.arrayBuffer())
        return
      }
      // Safari's streams are not iterable.
      const reader = blob.stream().getReader()
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        yield value
      }
    },
  }
}
