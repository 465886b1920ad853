import { TokenCounts } from './token-counts.ts'

/** Accepted push, common to all gateways. */
export type AcceptedPush = {
  /** Sequence number, 1 for the gateway's first accepted push. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Device token. */
  readonly token: string
  readonly connectionId: number
  readonly headers: Readonly<Record<string, string>>
  /** Parsed JSON body. */
  readonly payload: unknown
}

/** Push rejected by the gateway's own validation or by the fault script. */
export type RejectedPush = {
  readonly at: number
  /** Null if the request was rejected before its device was known. */
  readonly token: string | null
  readonly reason: string
  readonly status: number
  readonly connectionId: number
}

export type RequestLogCounts = {
  accepted: number
  /** Number of different device tokens among accepted pushes. */
  devices: number
  /** Number of accepted pushes beyond the first of each device. */
  repeats: number
  rejected: number
  rejectedByReason: Record<string, number>
  /**
   * Number of accepted pushes that certainly got no response: dropped by the fault script, or the stream was closed.
   * Does not include responses that were cut off on their way.
   */
  unanswered: number
  connectionsOpened: number
  connectionsOpen: number
  inFlight: number
  maxInFlight: number
  maxInFlightOnOneConnection: number
  /** Number of different accepted credentials (APNs provider tokens, FCM access tokens). */
  credentials: number
}

/** The counters, to which connections report. */
export type ConnectionMetrics = {
  readonly counts: RequestLogCounts
  changed(): void
}

export type RequestLogOptions = {
  /** If false, only counters and per-device counts are kept (a broadcast to a million devices). Default: true. */
  keepPayloads?: boolean
}

/** Number of newest pushes and rejections that are kept in full. */
const KEEP_LAST = 100_000

type Listener<A> = (push: A) => void

/** Pushes that a gateway accepted or rejected. Tests use them to count losses and duplicates. */
export class RequestLog<A extends AcceptedPush> implements ConnectionMetrics {
  readonly counts: RequestLogCounts = emptyCounts()
  readonly #tokens = new TokenCounts()
  readonly #credentials = new Set<string>()
  readonly #listeners = new Set<Listener<A>>()
  readonly #waiting = new Set<() => void>()
  readonly #keepLast: number
  #checkQueued = false
  #acceptedKept: A[] = []
  #rejectedKept: RejectedPush[] = []

  constructor(options: RequestLogOptions = {}) {
    this.#keepLast = options.keepPayloads === false ? 0 : KEEP_LAST
  }

  /** Accepted pushes, oldest first; empty with `keepPayloads: false`. */
  get accepted(): readonly A[] {
    return this.#acceptedKept
  }

  /** Rejected pushes, oldest first; empty with `keepPayloads: false`. */
  get rejected(): readonly RejectedPush[] {
    return this.#rejectedKept
  }

  /** Returns how many pushes to this device were accepted; also without payloads. */
  countOf(token: string): number {
    return this.#tokens.get(token)
  }

  /** Returns the number of devices by number of accepted pushes: `{ 1: 9_999, 2: 1 }` is one repeat. */
  histogram(): Record<number, number> {
    return this.#tokens.histogram()
  }

  acceptedFor(token: string): A[] {
    return this.#acceptedKept.filter((push) => push.token === token)
  }

  /** Calls `listener` with every push accepted from now on. Returns a function that stops it. */
  onAccepted(listener: Listener<A>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves once `predicate` is true. Rejects with the counts after `timeoutMs`. */
  waitFor(predicate: (requestLog: this) => boolean, timeoutMs = 60_000): Promise<void> {
    if (predicate(this)) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const check = (): void => {
        if (predicate(this)) finish(resolve)
      }
      const finish = (settle: () => void): void => {
        clearTimeout(timer)
        this.#waiting.delete(check)
        settle()
      }
      const timer = setTimeout(() => {
        const now = JSON.stringify(this.counts)
        finish(() =>
          reject(new Error(`The request log did not match within ${timeoutMs} ms. Its counts: ${now}`)),
        )
      }, timeoutMs)
      this.#waiting.add(check)
    })
  }

  /** Drops pushes and counts, except those of open connections. */
  clear(): void {
    const { connectionsOpen, inFlight } = this.counts
    Object.assign(this.counts, emptyCounts(), { connectionsOpen, inFlight })
    this.#tokens.clear()
    this.#credentials.clear()
    this.#acceptedKept = []
    this.#rejectedKept = []
  }

  /** Counts a push without keeping it. `token` is null if its device is unknown. */
  count(token: string | null): void {
    this.counts.accepted++
    if (token !== null) {
      if (this.#tokens.add(token) > 1) this.counts.repeats++
      else this.counts.devices++
    }
    this.changed()
  }

  recordAccepted(push: A): void {
    this.count(push.token)
    if (this.#keepLast > 0) this.#acceptedKept = keep(this.#acceptedKept, push, this.#keepLast)
    for (const listener of this.#listeners) listener(push)
  }

  recordRejected(push: RejectedPush): void {
    this.counts.rejected++
    this.counts.rejectedByReason[push.reason] = (this.counts.rejectedByReason[push.reason] ?? 0) + 1
    if (this.#keepLast > 0) this.#rejectedKept = keep(this.#rejectedKept, push, this.#keepLast)
    this.changed()
  }

  recordCredential(credential: string): void {
    this.#credentials.add(credential)
    this.counts.credentials = this.#credentials.size
  }

  /** Reports that something in `counts` has changed. */
  changed(): void {
    if (this.#waiting.size === 0 || this.#checkQueued) return
    this.#checkQueued = true
    setImmediate(() => {
      this.#checkQueued = false
      for (const check of this.#waiting) check()
    })
  }
}

/** Appends an item, and drops the oldest so that the array never has more than twice `max` items. */
function keep<T>(list: T[], item: T, max: number): T[] {
  list.push(item)
  return list.length >= max * 2 ? list.slice(-max) : list
}

function emptyCounts(): RequestLogCounts {
  return {
    accepted: 0,
    devices: 0,
    repeats: 0,
    rejected: 0,
    rejectedByReason: {},
    unanswered: 0,
    connectionsOpened: 0,
    connectionsOpen: 0,
    inFlight: 0,
    maxInFlight: 0,
    maxInFlightOnOneConnection: 0,
    credentials: 0,
  }
}
