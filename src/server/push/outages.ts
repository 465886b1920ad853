import type { Upstream } from './ports.ts'

/** Waits of a shorter outage are short, and one device that fails between others is none. */
const MIN_OUTAGE_MS = 1_000
const TRY_EVERY_MS = 5_000

/** Which upstreams have answered nothing but "later" for a while, as this process sees it. Times are `performance.now()`. */
export class Outages {
  readonly #since = new Map<Upstream, number>()
  readonly #triedAt = new Map<Upstream, number>()

  /** Until an upstream has answered, chunks may be waiting since before this process. */
  constructor(upstreams: readonly Upstream[]) {
    for (const upstream of upstreams) this.#since.set(upstream, -Infinity)
  }

  /** It answered none of a chunk's devices. */
  begin(upstream: Upstream, now: number): void {
    if (!this.#since.has(upstream)) this.#since.set(upstream, now)
  }

  /** It answers. True: it was unavailable, so what waits for it may go. */
  end(upstream: Upstream, now: number): boolean {
    const since = this.#since.get(upstream)
    this.#since.delete(upstream)
    return since !== undefined && now - since >= MIN_OUTAGE_MS
  }

  /** Those of which one waiting chunk is to be tried now, to see whether they are back. */
  toTry(now: number): Upstream[] {
    const due = [...this.#since.keys()].filter(
      (upstream) => now - (this.#triedAt.get(upstream) ?? -Infinity) >= TRY_EVERY_MS,
    )
    for (const upstream of due) this.#triedAt.set(upstream, now)
    return due
  }
}
