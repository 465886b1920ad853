/** Speed is the mean over this time: shorter jumps about, longer lags behind. */
const WINDOW_MS = 5000
const SAMPLE_MS = 200

/** Bytes of an upload: what arrived, what is on its way, and how fast. */
export class Tally {
  #arrived = 0
  #inFlight = 0
  #moved = 0
  #samples: { at: number; moved: number }[] = []
  readonly #now: () => number
  readonly #changed: () => void
  /** Pieces that arrived. */
  successes = 0

  constructor(changed: () => void, now: () => number = () => performance.now()) {
    this.#changed = changed
    this.#now = now
  }

  get bytesSent(): number {
    return this.#arrived + this.#inFlight
  }

  /** Bytes of earlier runs that are in the store already; they count as sent, not as speed. */
  found(bytes: number): void {
    this.#arrived = bytes
    this.#changed()
  }

  /** One attempt to send a piece. */
  begin(): { sent(bytes: number): void; arrived(size: number): void; failed(): void } {
    let sent = 0
    const set = (bytes: number): void => {
      this.#inFlight += bytes - sent
      this.#moved += Math.max(0, bytes - sent)
      sent = bytes
    }
    return {
      sent: (bytes) => {
        if (bytes <= sent) return
        set(bytes)
        this.#sample()
        this.#changed()
      },
      arrived: (size) => {
        this.#moved += Math.max(0, size - sent)
        this.#inFlight -= sent
        this.#arrived += size
        this.successes++
        this.#sample()
        this.#changed()
      },
      failed: () => {
        set(0)
        this.#changed()
      },
    }
  }

  /** Forgets the speed: after a pause the old one says nothing. */
  rest(): void {
    this.#samples = []
  }

  get bytesPerSecond(): number {
    const now = this.#now()
    this.#forget(now)
    const first = this.#samples[0]
    if (!first || now - first.at < SAMPLE_MS) return 0
    return ((this.#moved - first.moved) / (now - first.at)) * 1000
  }

  #sample(): void {
    const now = this.#now()
    const last = this.#samples.at(-1)
    if (last && now - last.at < SAMPLE_MS) return
    this.#samples.push({ at: now, moved: this.#moved })
    this.#forget(now)
  }

  #forget(now: number): void {
    while (this.#samples.length > 0 && now - this.#samples[0]!.at > WINDOW_MS) this.#samples.shift()
  }
}

/** Null while it cannot be told. */
export function secondsLeft(bytesLeft: number, bytesPerSecond: number): number | null {
  if (bytesLeft <= 0) return 0
  return bytesPerSecond > 0 ? Math.ceil(bytesLeft / bytesPerSecond) : null
}
