import type { Chunk, UploadSource } from '../types.ts'

/** A File from a picker or a drop. With a handle it can be read again after a reload. */
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
