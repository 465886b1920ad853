import { URLS_PER_CALL } from '../../limits.ts'

export type PartUrl = {
  url: string
  headers: Record<string, string>
  /** When it was asked for. */
  at: number
}

/** The first call is small, so that bytes flow soon. */
const FIRST_WINDOW = 16
/** A window is meant to last so long at the speed of the upload so far. */
const WINDOW_SECONDS = 60
/** Older ones are signed anew before use (they live an hour). By our own clock's difference: the server's may differ. */
const MAX_AGE_MS = 15 * 60_000

type Options = {
  sign(
    partNumbers: number[],
  ): Promise<{ partNumber: number; uploadUrl: string; headers: Record<string, string> }[]>
  /** Parts that have not arrived, in the order of their turns; the first are on their way. */
  missing(): Iterable<number>
  /** Of so many of them the URLs are fetched ahead. */
  ahead: number
  now?: () => number
}

/** Signed URLs of parts, fetched in windows shortly before they are used. */
export class PartUrls {
  #stock = new Map<number, PartUrl>()
  #coming = new Map<number, Promise<void>>()
  #begun: number | undefined
  #used = 0
  readonly #options: Options
  readonly #now: () => number

  constructor(options: Options) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** The part's URL; the same one again as long as it is young. @throws whatever `sign` throws */
  async get(partNumber: number): Promise<PartUrl> {
    this.#begun ??= this.#now()
    for (;;) {
      const found = this.#fresh(partNumber)
      if (found) {
        this.#fetchAhead()
        return found
      }
      await (this.#coming.get(partNumber) ?? this.#fetch(partNumber))
    }
  }

  /** The part has arrived. */
  done(partNumber: number): void {
    this.#stock.delete(partNumber)
    this.#used++
  }

  /** A URL was refused: it and its elders are of no use. */
  drop(refused: PartUrl): void {
    for (const [n, { at }] of this.#stock) if (at <= refused.at) this.#stock.delete(n)
  }

  #fresh(partNumber: number): PartUrl | undefined {
    const found = this.#stock.get(partNumber)
    return found && this.#now() - found.at < MAX_AGE_MS ? found : undefined
  }

  #fetchAhead(): void {
    if (this.#coming.size > 0) return
    let looked = 0
    for (const n of this.#options.missing()) {
      if (looked++ >= this.#options.ahead) return
      if (this.#fresh(n)) continue
      // Nobody waits for this one yet; whoever comes to need it asks again and is told the error.
      this.#fetch(n).catch(() => {})
      return
    }
  }

  #fetch(first: number): Promise<void> {
    const window = new Set([first])
    const size = this.#windowSize()
    for (const n of this.#options.missing()) {
      if (window.size >= size) break
      if (!this.#fresh(n) && !this.#coming.has(n)) window.add(n)
    }
    const fetched = this.#sign([...window]).finally(() => {
      for (const n of window) this.#coming.delete(n)
    })
    for (const n of window) this.#coming.set(n, fetched)
    return fetched
  }

  async #sign(numbers: number[]): Promise<void> {
    const at = this.#now()
    for (const { partNumber, uploadUrl, headers } of await this.#options.sign(numbers))
      this.#stock.set(partNumber, { url: uploadUrl, headers, at })
  }

  #windowSize(): number {
    const seconds = Math.max(1, (this.#now() - (this.#begun ?? 0)) / 1000)
    const wanted = Math.ceil((this.#used / seconds) * WINDOW_SECONDS)
    return Math.min(URLS_PER_CALL, Math.max(FIRST_WINDOW, wanted))
  }
}
