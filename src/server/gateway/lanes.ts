/**
 * What waits, one lane per message, served in turn: a push to one user does not queue behind a broadcast of
 * 100,000 that was handed over in one go. Within a lane: first come, first served.
 */
export class Lanes<T> {
  private readonly lanes = new Map<object, { items: T[]; next: number }>()
  private count = 0

  get size(): number {
    return this.count
  }

  push(key: object, item: T): void {
    this.count++
    const lane = this.lanes.get(key)
    if (lane) lane.items.push(item)
    else this.lanes.set(key, { items: [item], next: 0 })
  }

  /** The next item; its lane goes to the end of the row. */
  shift(): T | undefined {
    for (const [key, lane] of this.lanes) {
      const item = lane.items[lane.next++]!
      this.count--
      // A Map keeps the order of insertion, so taking a lane out and putting it back sends it to the end.
      if (this.lanes.size > 1 || lane.next === lane.items.length) {
        this.lanes.delete(key)
        if (lane.next < lane.items.length) this.lanes.set(key, lane)
      }
      // Served ones are let go in lots: shifting an array of 100,000 for each would move all of it.
      if (lane.next > 1024 && lane.next * 2 > lane.items.length) {
        lane.items.splice(0, lane.next)
        lane.next = 0
      }
      return item
    }
    return undefined
  }
}
