/** Reports sent together share one HTTP request: client.ts batches calls made in one tick. */
const DELAY_MS = 500
const BATCH = 20

/**
 * Reports stored parts to the server while others are sent. Best effort: completion and status ask the store, so
 * a lost report costs nothing and nothing waits for it.
 */
export class PartReports {
  #waiting: { partNumber: number; etag: string }[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #report: (partNumber: number, etag: string) => Promise<void>

  constructor(report: (partNumber: number, etag: string) => Promise<void>) {
    this.#report = report
  }

  add(partNumber: number, etag: string): void {
    this.#waiting.push({ partNumber, etag })
    if (this.#waiting.length >= BATCH) this.flush()
    else this.#timer ??= setTimeout(() => this.flush(), DELAY_MS)
  }

  /** Sends what waits, at once. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // The store has the parts, and completion asks the store.
    for (const { partNumber, etag } of this.#waiting.splice(0)) this.#report(partNumber, etag).catch(() => {})
  }
}
