import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, unlink, unlinkSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { BlobUse } from './state.ts'
import type { BlobRef } from './types.ts'

const WRITE_BATCH_BYTES = 1 << 20
/**
 * Smaller blobs are written in one synchronous call, which costs less than three round trips through the thread pool.
 */
const SMALL_BYTES = 128 * 1024
const READ_BYTES = 512 * 1024
const ZEROS = Buffer.alloc(WRITE_BATCH_BYTES)

/**
 * Immutable files with random names. References from objects and parts are counted. A copy or a completed multipart
 * upload of 5 GiB therefore moves no bytes, and a GET can finish reading an object that is replaced in the meantime.
 */
export class Blobs implements BlobUse {
  readonly #dir: string
  readonly #fsync: boolean
  readonly #uses = new Map<string, number>()

  constructor(dir: string, fsync: boolean) {
    this.#dir = join(dir, 'blobs')
    this.#fsync = fsync
    mkdirSync(this.#dir, { recursive: true })
  }

  #path(id: string): string {
    return join(this.#dir, id)
  }

  retain(blob: BlobRef): void {
    this.#uses.set(blob.id, (this.#uses.get(blob.id) ?? 0) + 1)
  }

  release(blob: BlobRef): void {
    const left = (this.#uses.get(blob.id) ?? 1) - 1
    if (left > 0) {
      this.#uses.set(blob.id, left)
      return
    }
    this.#uses.delete(blob.id)
    unlink(this.#path(blob.id), () => {})
  }

  /** Removes files that the journal does not mention: uploads that a crash interrupted. */
  sweep(): void {
    for (const name of readdirSync(this.#dir)) {
      if (!this.#uses.has(name)) unlinkSync(this.#path(name))
    }
  }

  /**
   * Writes a stream to a new blob and retains it once for the caller, who releases it after the commit. Hashing (in
   * `each`) overlaps with the previous write. Removes the file if anything fails.
   */
  async write(source: AsyncIterable<Buffer>, each: (data: Buffer) => void): Promise<BlobRef> {
    const blob: BlobRef = { id: randomBytes(12).toString('hex'), size: 0 }
    this.retain(blob)
    let file: FileHandle | undefined
    let writing: Promise<unknown> = Promise.resolve()
    try {
      let batch: Buffer[] = []
      let batched = 0
      for await (const data of source) {
        each(data)
        blob.size += data.length
        batch.push(data)
        batched += data.length
        if (batched < WRITE_BATCH_BYTES) continue
        file ??= await open(this.#path(blob.id), 'wx')
        await writing
        writing = writeAll(file, batch, batched, blob.size - batched)
        writing.catch(() => {})
        batch = []
        batched = 0
      }
      if (!file && !this.#fsync && blob.size <= SMALL_BYTES) {
        writeFileSync(this.#path(blob.id), Buffer.concat(batch), { flag: 'wx' })
        return blob
      }
      file ??= await open(this.#path(blob.id), 'wx')
      await writing
      if (batched > 0) await writeAll(file, batch, batched, blob.size - batched)
      if (this.#fsync) await file.sync()
      await file.close()
      return blob
    } catch (error) {
      await writing.catch(() => {})
      await file?.close().catch(() => {})
      this.release(blob)
      throw error
    }
  }

  /** Yields bytes `start` to `end` (inclusive) of a sequence of blobs. */
  async *read(blobs: readonly BlobRef[], start: number, end: number): AsyncGenerator<Buffer> {
    let offset = 0
    for (const blob of blobs) {
      const from = Math.max(start - offset, 0)
      const to = Math.min(end - offset, blob.size - 1)
      offset += blob.size
      if (from > to) continue
      if (blob.size <= SMALL_BYTES) {
        yield readFileSync(this.#path(blob.id)).subarray(from, to + 1)
        continue
      }
      const file = await open(this.#path(blob.id), 'r')
      try {
        let position = from
        while (position <= to) {
          const length = Math.min(READ_BYTES, to - position + 1)
          const buffer = Buffer.allocUnsafe(length)
          const { bytesRead } = await file.read(buffer, 0, length, position)
          if (bytesRead === 0) throw new Error(`Blob ${blob.id} is shorter than recorded`)
          position += bytesRead
          yield buffer.subarray(0, bytesRead)
        }
      } finally {
        await file.close()
      }
    }
  }
}

/**
 * Writes all bytes: `writev` can write fewer, on a full disk or after a signal. Zeros become a hole, so a test's
 * large files take no space if the file system supports holes.
 */
async function writeAll(file: FileHandle, batch: Buffer[], total: number, position: number): Promise<void> {
  if (batch.every((data) => data.equals(ZEROS.subarray(0, data.length)))) {
    await file.truncate(position + total)
    return
  }
  const { bytesWritten } = await file.writev(batch, position)
  if (bytesWritten === total) return
  const rest = Buffer.concat(batch).subarray(bytesWritten)
  await writeAll(file, [rest], rest.length, position + bytesWritten)
}
