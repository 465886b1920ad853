/**
 * Counts how often each device token was seen, without keeping the tokens: open addressing over their 64-bit hashes, 12
 * bytes per slot. 1,000,000 tokens take 24 MB; a Map of strings takes about 150 MB. The probability that two of a
 * million tokens share a hash is 3 in 100 million.
 */
export class TokenCounts {
  #high = new Uint32Array(1024)
  #low = new Uint32Array(1024)
  #times = new Uint32Array(1024)
  #used = 0

  /** Number of different tokens seen. */
  get size(): number {
    return this.#used
  }

  /** Counts a token once more, and returns its new count. */
  add(token: string): number {
    if (this.#used * 2 >= this.#times.length) this.#grow()
    const [high, low] = hash64(token)
    const slot = this.#slotOf(high, low)
    if (this.#times[slot] === 0) {
      this.#high[slot] = high
      this.#low[slot] = low
      this.#used++
    }
    const times = (this.#times[slot] ?? 0) + 1
    this.#times[slot] = times
    return times
  }

  get(token: string): number {
    const [high, low] = hash64(token)
    return this.#times[this.#slotOf(high, low)] ?? 0
  }

  /** Returns the number of tokens by count: `{ 1: 999_990, 2: 10 }`. */
  histogram(): Record<number, number> {
    const result: Record<number, number> = {}
    for (const times of this.#times) if (times > 0) result[times] = (result[times] ?? 0) + 1
    return result
  }

  clear(): void {
    this.#high = new Uint32Array(1024)
    this.#low = new Uint32Array(1024)
    this.#times = new Uint32Array(1024)
    this.#used = 0
  }

  #slotOf(high: number, low: number): number {
    const mask = this.#times.length - 1
    let slot = (high ^ low) & mask
    while (this.#times[slot] !== 0 && (this.#high[slot] !== high || this.#low[slot] !== low)) {
      slot = (slot + 1) & mask
    }
    return slot
  }

  #grow(): void {
    const high = this.#high
    const low = this.#low
    const times = this.#times
    this.#high = new Uint32Array(times.length * 2)
    this.#low = new Uint32Array(times.length * 2)
    this.#times = new Uint32Array(times.length * 2)
    for (let old = 0; old < times.length; old++) {
      const count = times[old] ?? 0
      if (count === 0) continue
      const slot = this.#slotOf(high[old] ?? 0, low[old] ?? 0)
      this.#high[slot] = high[old] ?? 0
      this.#low[slot] = low[old] ?? 0
      this.#times[slot] = count
    }
  }
}

/** Hashes with cyrb53's two halves, without merging them: fast, well mixed, not for secrets. */
function hash64(text: string): [high: number, low: number] {
  let high = 0xdeadbeef
  let low = 0x41c6ce57
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    high = Math.imul(high ^ code, 2654435761)
    low = Math.imul(low ^ code, 1597334677)
  }
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  return [high >>> 0, low >>> 0]
}
