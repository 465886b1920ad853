/** Maximum delay of a report. Reports made in one tick share one HTTP request: client.ts batches them. */
const DELAY_MS = 500
const BATCH = 20

/**
 * Reports stored parts to the server while others are sent. Best effort: completion and status ask the store, so a
 * lost report does no harm and nothing waits for it.
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

  /** Sends the waiting reports immediately. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    // Failures are harmless: the store has the parts, and completion asks the store.
    for (const { partNumber, etag } of this.#waiting.splice(0)) this.#report(partNumber, etag).catch(() => {})
  }
}
