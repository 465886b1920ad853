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
  #underWay = new Set<Promise<void>>()
  readonly #report: (partNumber: number, etag: string) => Promise<void>

  constructor(report: (partNumber: number, etag: string) => Promise<void>) {
    this.#report = report
  }

  add(partNumber: number, etag: string): void {
    this.#waiting.push({ partNumber, etag })
    if (this.#waiting.length >= BATCH) this.#send()
    else this.#timer ??= setTimeout(() => this.#send(), DELAY_MS)
  }

  /** Sends the rest and waits for all reports, at most `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    this.#send()
    let timer: ReturnType<typeof setTimeout> | undefined
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    await Promise.race([Promise.all(this.#underWay), timeout])
    clearTimeout(timer)
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { partNumber, etag } of this.#waiting.splice(0)) {
      const sending = this.#report(partNumber, etag)
        // The store has the part, and completion asks the store.
        .catch(() => {})
        .finally(() => this.#underWay.delete(sending))
      this.#underWay.add(sending)
    }
  }
}
