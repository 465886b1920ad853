import type { Chunk } from '../types.ts'

/** Read at once. Each call of the file system wakes another thread: with 512 KiB the rate was a quarter lower. */
const READ_BYTES = 5 * 1024 * 1024
/** Written at once: what progress is counted in. */
const PIECE_BYTES = 256 * 1024
/** Kept for reuse; more are made as needed. */
const KEEP = 8

/** A piece of a body; `done` when the network has it. */
export type Piece = { bytes: Uint8Array; done(): void }

/** Buffers that are used again: making new ones had the garbage collector take half of an upload's CPU. */
export class Buffers {
  #free: Uint8Array[] = []

  take(): Uint8Array {
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(READ_BYTES)
  }

  give(buffer: Uint8Array): void {
    if (this.#free.length < KEEP) this.#free.push(buffer)
  }
}

/** The bytes of a chunk in the order they are sent. */
export async function* piecesOf(body: Chunk, buffers: Buffers): AsyncGenerator<Piece> {
  if (!body.read) {
    for await (const bytes of body.stream()) yield { bytes, done: () => {} }
    return
  }
  for (let at = 0; at < body.size; ) {
    const buffer = buffers.take()
    const filled = await body.read(buffer, at)
    at += filled
    // Given back only when all of it is out; one whose attempt failed may still be read by the kernel.
    let left = filled
    for (let from = 0; from < filled; from += PIECE_BYTES) {
      const bytes = buffer.subarray(from, Math.min(filled, from + PIECE_BYTES))
      yield {
        bytes,
        done: () => {
          left -= bytes.length
          if (left === 0) buffers.give(buffer)
        },
      }
    }
  }
}

/**
 * How many bytes may wait in a socket: what went out in a quarter of a second lately. More keeps a fast
 * network busy while the disk is read; less lets a slow one show progress, without which an attempt
 * would look stalled.
 */
export class Pace {
  windowBytes = PIECE_BYTES

  /** So many bytes needed so many milliseconds to leave. */
  learn(bytes: number, ms: number): void {
    const wanted = (bytes / Math.max(1, ms)) * 250
    this.windowBytes = Math.min(READ_BYTES, Math.max(PIECE_BYTES, wanted))
  }
}
