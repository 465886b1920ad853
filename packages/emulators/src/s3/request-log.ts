import type { Store } from './store.ts'
import type { LoggedRequest, StoredObject } from './types.ts'

/** Number of entries that are kept. A longer benchmark loses the oldest entries instead of running out of memory. */
const KEEP = 200_000

export type ObjectView = { bucket: string; key: string; size: number; etag: string; contentType?: string }
export type UploadView = { bucket: string; key: string; uploadId: string; parts: number[]; bytes: number }

/** Requests to the store, and its contents. */
export class RequestLog {
  readonly #store: Store
  #entries: LoggedRequest[] = []
  #seq = 0
  #waiting = new Set<() => void>()

  constructor(store: Store) {
    this.#store = store
  }

  record(entry: Omit<LoggedRequest, 'seq'>): void {
    this.#entries.push({ seq: ++this.#seq, ...entry })
    if (this.#entries.length > KEEP * 1.1) this.#entries = this.#entries.slice(-KEEP)
    for (const wake of this.#waiting) wake()
  }

  /** Returns entries with a higher number than `since`, oldest first. */
  entries(since = 0): LoggedRequest[] {
    // Numbers have no gaps, so the position is known. Searching would slow down waiters in long runs.
    const first = this.#entries[0]?.seq ?? 1
    return this.#entries.slice(Math.max(since - first + 1, 0))
  }

  clear(): void {
    this.#entries = []
  }

  /** Like `entries`, but waits up to `timeoutMs` for the first one. For callers in other processes. */
  async entriesAfter(since: number, timeoutMs: number): Promise<LoggedRequest[]> {
    if (this.#seq <= since) await this.#change(timeoutMs)
    return this.entries(since)
  }

  /** Returns the first entry, past or future, that matches the predicate. @throws Error after `timeoutMs` */
  async waitFor(predicate: (entry: LoggedRequest) => boolean, timeoutMs = 60_000): Promise<LoggedRequest> {
    const end = Date.now() + timeoutMs
    let since = 0
    for (;;) {
      const entries = this.entries(since)
      const found = entries.find(predicate)
      if (found) return found
      since = entries.at(-1)?.seq ?? since
      const left = end - Date.now()
      if (left <= 0) throw new Error(`No matching request within ${timeoutMs} ms`)
      await this.#change(left)
    }
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, timeoutMs)
      this.#waiting.add(done)
    })
  }

  /**
   * Returns the total size of objects, unfinished uploads' parts and unreachable parts with a key prefix, in all
   * buckets.
   */
  bytesStored(prefix = ''): number {
    const objects = this.objects(prefix).reduce((sum, one) => sum + one.size, 0)
    const unreachable = this.#store.unreachableParts().filter((one) => one.key.startsWith(prefix))
    const bytes = unreachable.reduce((sum, one) => sum + one.blob.size, objects)
    return this.uploads(prefix).reduce((sum, one) => sum + one.bytes, bytes)
  }

  objects(prefix = ''): ObjectView[] {
    return this.#store.buckets().flatMap((bucket) => {
      const inside: StoredObject[] = [...bucket.objects.values()].filter((one) => one.key.startsWith(prefix))
      return inside.map(({ key, size, etag, headers }) => {
        return { bucket: bucket.name, key, size, etag, contentType: headers['content-type'] }
      })
    })
  }

  /** Returns unfinished multipart uploads. */
  uploads(prefix = ''): UploadView[] {
    return this.#store.buckets().flatMap((bucket) => {
      const inside = [...bucket.uploads.values()].filter((one) => one.key.startsWith(prefix))
      return inside.map(({ key, uploadId, parts }) => {
        const bytes = [...parts.values()].reduce((sum, part) => sum + part.size, 0)
        return { bucket: bucket.name, key, uploadId, parts: [...parts.keys()].sort((a, b) => a - b), bytes }
      })
    })
  }
}
