/** Key of a flow: the string or object that its requests share. */
export type FlowKey = string | object

type Flow<T> = { items: T[]; next: number }

/**
 * Fair queueing with one flow per message. Flows take turns, so that a push to one user does not wait behind a
 * broadcast of 100,000. Within a flow, the order is first in, first out.
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

  /** Returns the next item and moves its flow to the end. */
  shift(): T | undefined {
    for (const [key, flow] of this.#flows) {
      const item = flow.items[flow.next++]!
      this.#size--
      // A Map keeps insertion order, so deleting and setting a flow moves it to the end.
      if (this.#flows.size > 1 || flow.next === flow.items.length) {
        this.#flows.delete(key)
        if (flow.next < flow.items.length) this.#flows.set(key, flow)
      }
      // Drop served items in batches: shifting an array of 100,000 would move all of it for each item.
      if (flow.next > 1024 && flow.next * 2 > flow.items.length) {
        flow.items.splice(0, flow.next)
        flow.next = 0
      }
      return item
    }
    return undefined
  }
}
