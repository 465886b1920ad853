import type { Upstream } from './upstream.ts'

/** Minimum duration of an outage. After a shorter one, retries wait only briefly anyway. */
const MIN_OUTAGE_MS = 1_000
const PROBE_INTERVAL_MS = 5_000

/** Tracks the upstreams from which this process gets only requests to retry. Times are `performance.now()`. */
export class Outages {
  readonly #since = new Map<Upstream, number>()
  readonly #probedAt = new Map<Upstream, number>()

  /**
   * Counts `upstreams` as unavailable until they respond, because chunks may have been waiting since before the start.
   */
  constructor(upstreams: readonly Upstream[]) {
    for (const upstream of upstreams) this.#since.set(upstream, -Infinity)
  }

  /** Records that the upstream accepted or rejected none of a chunk's devices. */
  begin(upstream: Upstream, now: number): void {
    if (!this.#since.has(upstream)) this.#since.set(upstream, now)
  }

  /** Records a response. Returns true if it ends an outage, so that waiting chunks become due. */
  end(upstream: Upstream, now: number): boolean {
    const since = this.#since.get(upstream)
    this.#since.delete(upstream)
    return since !== undefined && now - since >= MIN_OUTAGE_MS
  }

  /** Returns the unavailable upstreams that should get one waiting chunk now, as a probe. */
  takeProbes(now: number): Upstream[] {
    const due = [...this.#since.keys()].filter(
      (upstream) => now - (this.#probedAt.get(upstream) ?? -Infinity) >= PROBE_INTERVAL_MS,
    )
    for (const upstream of due) this.#probedAt.set(upstream, now)
    return due
  }
}
