import type { Store } from './store.ts'
import type { LoggedRequest, StoredObject } from './types.ts'

/** So many entries are kept; a benchmark that makes more loses the oldest, not its memory. */
const KEEP = 200_000

export type ObjectView = { bucket: string; key: string; size: number; etag: string; contentType?: string }
export type UploadView = { bucket: string; key: string; uploadId: string; parts: number[]; bytes: number }

/** What was asked of the store, and what it holds. */
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

  /** Entries with a higher number than `since`, oldest first. */
  entries(since = 0): LoggedRequest[] {
    // The numbers are without gaps, so the place is known; a search would cost waiters dearly in long runs.
    const first = this.#entries[0]?.seq ?? 1
    return this.#entries.slice(Math.max(since - first + 1, 0))
  }

  clear(): void {
    this.#entries = []
  }

  /** As `entries`, but waits up to `timeoutMs` for the first one. For callers in another process. */
  async entriesAfter(since: number, timeoutMs: number): Promise<LoggedRequest[]> {
    if (this.#seq <= since) await this.#change(timeoutMs)
    return this.entries(since)
  }

  /** The first entry, past or coming, that satisfies the predicate. @throws Error after the time limit */
  async waitFor(predicate: (entry: LoggedRequest) => boolean, timeoutMs = 5000): Promise<LoggedRequest> {
    const end = Date.now() + timeoutMs
    let since = 0
    for (;;) {
      const fresh = this.entries(since)
      const found = fresh.find(predicate)
      if (found) return found
      since = fresh.at(-1)?.seq ?? since
      const left = end - Date.now()
      if (left <= 0) throw new Error(`No such request within ${timeoutMs} ms`)
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

  /** Bytes of all objects and of the parts of unfinished uploads below a key prefix, in all buckets; of stray parts too. */
  bytesStored(prefix = ''): number {
    const objects = this.objects(prefix).reduce((sum, one) => sum + one.size, 0)
    const strays = this.#store.strays().filter((one) => one.key.startsWith(prefix))
    const bytes = strays.reduce((sum, one) => sum + one.blob.size, objects)
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

  /** Unfinished multipart uploads. */
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
