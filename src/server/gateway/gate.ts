import { Bucket, type Rate } from './bucket.ts'
import { Lanes } from './lanes.ts'

/**
 * Bounds what is in flight, and where a gateway has a quota its rate. Senders without such a bound lose
 * everything above about 7,000, since time limits run while requests still wait (DESIGN.md, pushes, 2).
 */
export class Gate {
  private readonly lanes = new Lanes()
  private readonly bucket: Bucket | undefined
  private limit: number
  private inside = 0
  private refill: NodeJS.Timeout | undefined
  private whenEmpty: Array<() => void> = []

  constructor(limit: number, rate?: Rate) {
    this.limit = limit
    this.bucket = rate && new Bucket(rate, performance.now())
  }

  get inFlight(): number {
    return this.inside
  }

  get waiting(): number {
    return this.lanes.size
  }

  /** Resolves with true once there is a place, or with false if what waits is sent away before. */
  enter(lane: object): boolean | Promise<boolean> {
    if (this.lanes.size === 0 && this.admits()) {
      this.inside++
      return true
    }
    return new Promise((resolve) => {
      this.lanes.push(lane, resolve)
      this.serve()
    })
  }

  leave(): void {
    this.inside--
    this.serve()
    if (this.inside > 0) return
    const waiting = this.whenEmpty
    this.whenEmpty = []
    for (const resolve of waiting) resolve()
  }

  setLimit(limit: number): void {
    this.limit = limit
    this.serve()
  }

  /** Sends away whatever waits. */
  turnAway(): void {
    clearTimeout(this.refill)
    this.refill = undefined
    for (let waiter = this.lanes.shift(); waiter; waiter = this.lanes.shift()) waiter(false)
  }

  /** Resolves when nothing is in flight, with false if that takes longer than `timeoutMs`. */
  empty(timeoutMs: number): Promise<boolean> {
    if (this.inside === 0) return Promise.resolve(true)
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), timeoutMs)
      this.whenEmpty.push(() => {
        clearTimeout(timer)
        resolve(true)
      })
    })
  }

  private admits(): boolean {
    return this.inside < this.limit && (this.bucket?.take(performance.now()) ?? true)
  }

  private serve(): void {
    while (this.lanes.size > 0 && this.inside < this.limit) {
      if (!this.admits()) {
        this.serveLater()
        return
      }
      this.inside++
      this.lanes.shift()!(true)
    }
  }

  private serveLater(): void {
    if (this.refill || !this.bucket) return
    this.refill = setTimeout(() => {
      this.refill = undefined
      this.serve()
    }, this.bucket.waitMs())
  }
}
