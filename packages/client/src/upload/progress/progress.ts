/** Time over which the speed is averaged. It jumps with a shorter time and lags with a longer one. */
const WINDOW_MS = 5000
const SAMPLE_MS = 200

/** Bytes of an upload: stored and in flight, and their speed. */
export class Progress {
  #stored = 0
  #inFlight = 0
  /** Highest `bytesSent` so far. */
  #highest = 0
  #moved = 0
  #samples: { at: number; moved: number }[] = []
  readonly #now: () => number
  readonly #changed: () => void
  /** Number of successful attempts. */
  successes = 0

  constructor(changed: () => void, now: () => number = () => performance.now()) {
    this.#changed = changed
    this.#now = now
  }

  get bytesSent(): number {
    return this.#stored + this.#inFlight
  }

  /** Bytes that were sent but not stored, because their attempts were interrupted. They will be sent again. */
  get bytesToResend(): number {
    return this.#highest - this.bytesSent
  }

  /** Sets the bytes that are already stored. They count as sent, but not toward the speed. */
  setStored(bytes: number): void {
    this.#stored = bytes
    this.#raise()
    this.#changed()
  }

  /** Starts an attempt to send a file or part. */
  startAttempt(): { sent(bytes: number): void; succeeded(size: number): void; failed(): void } {
    let sent = 0
    const set = (bytes: number): void => {
      this.#inFlight += bytes - sent
      this.#moved += Math.max(0, bytes - sent)
      sent = bytes
      this.#raise()
    }
    return {
      sent: (bytes) => {
        if (bytes <= sent) return
        set(bytes)
        this.#sample()
        this.#changed()
      },
      succeeded: (size) => {
        this.#moved += Math.max(0, size - sent)
        this.#inFlight -= sent
        this.#stored += size
        this.#raise()
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

  /** Resets the speed, because the old value is meaningless after a pause. */
  resetSpeed(): void {
    this.#samples = []
  }

  get bytesPerSecond(): number {
    const now = this.#now()
    this.#dropOldSamples(now)
    const first = this.#samples[0]
    if (!first || now - first.at < SAMPLE_MS) return 0
    return ((this.#moved - first.moved) / (now - first.at)) * 1000
  }

  #raise(): void {
    this.#highest = Math.max(this.#highest, this.bytesSent)
  }

  #sample(): void {
    const now = this.#now()
    const last = this.#samples.at(-1)
    if (last && now - last.at < SAMPLE_MS) return
    this.#samples.push({ at: now, moved: this.#moved })
    this.#dropOldSamples(now)
  }

  #dropOldSamples(now: number): void {
    while (this.#samples.length > 0 && now - this.#samples[0]!.at > WINDOW_MS) this.#samples.shift()
  }
}

/** Returns null while unknown. */
export function secondsLeft(bytesLeft: number, bytesPerSecond: number): number | null {
  if (bytesLeft <= 0) return 0
  return bytesPerSecond > 0 ? Math.ceil(bytesLeft / bytesPerSecond) : null
}
