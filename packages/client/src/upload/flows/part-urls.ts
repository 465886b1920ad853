import { URLS_PER_CALL } from '../../limits.ts'

export type PartUrl = {
  url: string
  headers: Record<string, string>
  /** Time of the request by the client's clock, which can differ from the server's. */
  at: number
}

/** Parts per call at first: a small call lets sending start soon. */
const FIRST_WINDOW = 16
/** One call signs the URLs needed for about this time at the upload's current speed. */
const WINDOW_SECONDS = 60
/** Older URLs are signed again before use; they expire after an hour. Measured by the client's clock. */
const MAX_AGE_MS = 15 * 60_000

type Options = {
  sign(
    partNumbers: number[],
  ): Promise<{ partNumber: number; uploadUrl: string; headers: Record<string, string> }[]>
  /** Parts that are not stored, in sending order. The first are in flight. */
  missing(): Iterable<number>
  /** Number of missing parts whose URLs are fetched ahead. */
  ahead: number
  now?: () => number
}

/** Presigned URLs of parts, fetched in windows shortly before use. */
export class PartUrls {
  #urls = new Map<number, PartUrl>()
  #pending = new Map<number, Promise<void>>()
  #startedAt: number | undefined
  #used = 0
  readonly #options: Options
  readonly #now: () => number

  constructor(options: Options) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Returns the part's URL, cached until it is too old. @throws what `sign` throws */
  async get(partNumber: number): Promise<PartUrl> {
    this.#startedAt ??= this.#now()
    for (;;) {
      const found = this.#fresh(partNumber)
      if (found) {
        this.#fetchAhead()
        return found
      }
      await (this.#pending.get(partNumber) ?? this.#fetch(partNumber))
    }
  }

  /** Records that the part is stored. */
  done(partNumber: number): void {
    this.#urls.delete(partNumber)
    this.#used++
  }

  /** Drops a rejected URL and all older ones. */
  drop(rejected: PartUrl): void {
    for (const [n, { at }] of this.#urls) if (at <= rejected.at) this.#urls.delete(n)
  }

  #fresh(partNumber: number): PartUrl | undefined {
    const found = this.#urls.get(partNumber)
    return found && this.#now() - found.at < MAX_AGE_MS ? found : undefined
  }

  #fetchAhead(): void {
    if (this.#pending.size > 0) return
    let looked = 0
    for (const n of this.#options.missing()) {
      if (looked++ >= this.#options.ahead) return
      if (this.#fresh(n)) continue
      // Ignore the error: no part waits for this URL yet. The part that needs it fetches it again and gets the error.
      this.#fetch(n).catch(() => {})
      return
    }
  }

  #fetch(first: number): Promise<void> {
    const window = new Set([first])
    const size = this.#windowSize()
    for (const n of this.#options.missing()) {
      if (window.size >= size) break
      if (!this.#fresh(n) && !this.#pending.has(n)) window.add(n)
    }
    const fetched = this.#sign([...window]).finally(() => {
      for (const n of window) this.#pending.delete(n)
    })
    for (const n of window) this.#pending.set(n, fetched)
    return fetched
  }

  async #sign(numbers: number[]): Promise<void> {
    const at = this.#now()
    for (const { partNumber, uploadUrl, headers } of await this.#options.sign(numbers))
      this.#urls.set(partNumber, { url: uploadUrl, headers, at })
  }

  #windowSize(): number {
    const seconds = Math.max(1, (this.#now() - (this.#startedAt ?? 0)) / 1000)
    const wanted = Math.ceil((this.#used / seconds) * WINDOW_SECONDS)
    return Math.min(URLS_PER_CALL, Math.max(FIRST_WINDOW, wanted))
  }
}
