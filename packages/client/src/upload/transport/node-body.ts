import type { Chunk } from '../types.ts'

/** Bytes per read. Each read wakes another thread: with 512 KiB, the rate was a quarter lower. */
const READ_BYTES = 5 * 1024 * 1024
/** Bytes per write, and thus the step of progress. */
const SLICE_BYTES = 256 * 1024
/** Number of buffers kept for reuse. More are allocated as needed. */
const MAX_FREE = 8

/** Slice of a body. The caller releases it once it is sent. */
export type BodySlice = { bytes: Uint8Array; release(): void }

/** Reuses buffers: with new ones, garbage collection took half of an upload's CPU time. */
export class BufferPool {
  #free: Uint8Array[] = []

  acquire(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES)
  }

  release(buffer: Uint8Array): void {
    if (this.#free.length < MAX_FREE) this.#free.push(buffer)
  }
}

/** Yields the bytes of a chunk in sending order. */
export async function* bodySlices(body: Chunk, pool: BufferPool): AsyncGenerator<BodySlice> {
  if (!body.read) {
    for await (const bytes of body.stream()) yield { bytes, release: () => {} }
    return
  }
  for (let at = 0; at < body.size; ) {
    const buffer = pool.acquire()
    const filled = await body.read(buffer, at)
    at += filled
    // Release the buffer only when all of it is sent: after a failed attempt, the kernel could still read it.
    let left = filled
    for (let from = 0; from < filled; from += SLICE_BYTES) {
      const bytes = buffer.subarray(from, Math.min(filled, from + SLICE_BYTES))
      yield {
        bytes,
        release: () => {
          left -= bytes.length
          if (left === 0) pool.release(buffer)
        },
      }
    }
  }
}

/**
 * Number of bytes that can wait in a socket: about what it recently sent in a quarter of a second. A large window
 * keeps a fast network busy while the disk is read. A small one lets a slow network show progress, without which an
 * attempt would seem stalled.
 */
export class SendWindow {
  bytes = SLICE_BYTES

  /** Adapts the window: `bytesSent` took `ms` to leave the socket. */
  update(bytesSent: number, ms: number): void {
    const wanted = (bytesSent / Math.max(1, ms)) * 250
    this.bytes = Math.min(READ_BYTES, Math.max(SLICE_BYTES, wanted))
  }
}
