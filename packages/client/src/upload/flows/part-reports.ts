/** Reports that go out together share one HTTP request (client.ts batches what is called in one turn). */
const DELAY_MS = 200
const BATCH = 20

/**
 * Tells the server which parts arrived, beside the sending. Best effort: completion and status look into the
 * store, so a report that is lost costs nothing; the others do not wait for it.
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

  /** Sends what is left and waits for all, at most so long. */
  async flush(timeoutMs: number): Promise<void> {
    this.#send()
    let timer: ReturnType<typeof setTimeout> | undefined
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, timeoutMs)
    })
    await Promise.race([Promise.all(this.#underWay), patience])
    clearTimeout(timer)
  }

  #send(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const { partNumber, etag } of this.#waiting.splice(0)) {
      const sending = this.#report(partNumber, etag)
        // Not lost: the store has the part, and completion asks the store.
        .catch(() => {})
        .finally(() => this.#underWay.delete(sending))
      this.#underWay.add(sending)
    }
  }
}
