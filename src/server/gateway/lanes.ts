/** A push that waits for a place in flight; called once, with false if it is sent away unserved. */
export type Waiter = (go: boolean) => void

/**
 * Waiting pushes, one lane per message, served in turn: a push to one user does not queue behind a broadcast
 * of 100,000 that was handed over in one go. Within a lane: first come, first served.
 */
export class Lanes {
  private readonly lanes = new Map<object, { waiters: Waiter[]; next: number }>()
  private count = 0

  get size(): number {
    return this.count
  }

  push(key: object, waiter: Waiter): void {
    this.count++
    const lane = this.lanes.get(key)
    if (lane) lane.waiters.push(waiter)
    else this.lanes.set(key, { waiters: [waiter], next: 0 })
  }

  /** The next waiter; its lane goes to the end of the row. */
  shift(): Waiter | undefined {
    const first = this.lanes.entries().next()
    if (first.done) return undefined
    const [key, lane] = first.value
    const waiter = lane.waiters[lane.next++]!
    this.count--
    // A Map keeps the order of insertion, so taking a lane out and putting it back sends it to the end.
    if (this.lanes.size > 1 || lane.next === lane.waiters.length) {
      this.lanes.delete(key)
      if (lane.next < lane.waiters.length) this.lanes.set(key, lane)
    }
    if (lane.next > 1024 && lane.next * 2 > lane.waiters.length) {
      lane.waiters.splice(0, lane.next)
      lane.next = 0
    }
    return waiter
  }
}
