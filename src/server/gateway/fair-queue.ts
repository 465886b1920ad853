/** What requests of one flow have in common: the same string or object. */
export type FlowKey = string | object

type Flow<T> = { items: T[]; next: number }

/**
 * Fair queueing: one flow per message, served in turn, so that a push to one user does not wait behind a broadcast
 * of 100,000 that was handed over in one go. First in, first out within a flow.
 */
export class FairQueue<T> {
  readonly #flows = new Map<FlowKey, Flow<T>>()
  #size = 0

  get size(): number {
    return this.#size
  }

  push(key: FlowKey, item: T): void {
    this.#size++
    const flow = this.#flows.get(key)
    if (flow) flow.items.push(item)
    else this.#flows.set(key, { items: [item], next: 0 })
  }

  /** The next item; its flow goes to the end of the line. */
  shift(): T | undefined {
    for (const [key, flow] of this.#flows) {
      const item = flow.items[flow.next++]!
      this.#size--
      // A Map keeps the order of insertion: deleting a flow and setting it again moves it to the end.
      if (this.#flows.size > 1 || flow.next === flow.items.length) {
        this.#flows.delete(key)
        if (flow.next < flow.items.length) this.#flows.set(key, flow)
      }
      // Served items are dropped in batches: shifting an array of 100,000 would move all of it for each item.
      if (flow.next > 1024 && flow.next * 2 > flow.items.length) {
        flow.items.splice(0, flow.next)
        flow.next = 0
      }
      return item
    }
    return undefined
  }
}
