import { TokenCounts } from './token-counts.ts'

/** What every accepted push has, whatever the gateway. */
export type AcceptedPush = {
  /** 1 for the first push this gateway accepted. */
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Device token. */
  readonly token: string
  readonly connectionId: number
  readonly headers: Readonly<Record<string, string>>
  /** The parsed JSON body. */
  readonly payload: unknown
}

/** A push that was refused, by the gateway's own checks or by the fault script. */
export type RejectedPush = {
  readonly at: number
  /** null where the request did not get as far as naming a device. */
  readonly token: string | null
  readonly reason: string
  readonly status: number
  readonly connectionId: number
}

export type RequestLogCounts = {
  accepted: number
  /** Different device tokens among the accepted. */
  devices: number
  /** Accepted pushes beyond the first of each device. */
  repeats: number
  rejected: number
  rejectedByReason: Record<string, number>
  /**
   * Accepted, but surely not answered: dropped by the fault script, or the stream was gone. Answers that were cut off
   * on their way are not among them.
   */
  unanswered: number
  connectionsOpened: number
  connectionsOpen: number
  inFlight: number
  maxInFlight: number
  maxInFlightOnOneConnection: number
  /** Different credentials (APNs provider tokens, FCM access tokens) that were accepted. */
  credentials: number
}

/** What connections report to: the counters alone. */
export type ConnectionMetrics = {
  readonly counts: RequestLogCounts
  changed(): void
}

export type RequestLogOptions = {
  /** false: counters and per-device counts only (a broadcast to a million devices). Default true. */
  keepPayloads?: boolean
  /** How many of the newest pushes and rejections are kept whole. Default 100,000. */
  keepLast?: number
}

type Listener<A> = (push: A) => void

/** What a gateway took in and what it refused: the truth that tests count losses and duplicates against. */
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
    this.#keepLast = options.keepPayloads === false ? 0 : (options.keepLast ?? 100_000)
  }

  /** Oldest first; empty with `keepPayloads: false`. */
  get accepted(): readonly A[] {
    return this.#acceptedKept
  }

  /** Oldest first; empty with `keepPayloads: false`. */
  get rejected(): readonly RejectedPush[] {
    return this.#rejectedKept
  }

  /** How often a push to this device was accepted; works without payloads too. */
  countOf(token: string): number {
    return this.#tokens.get(token)
  }

  /** Devices by number of accepted pushes: `{ 1: 9_999, 2: 1 }` is one repeat. */
  histogram(): Record<number, number> {
    return this.#tokens.histogram()
  }

  acceptedFor(token: string): A[] {
    return this.#acceptedKept.filter((push) => push.token === token)
  }

  /** Calls `listener` with every push that is accepted from now on; returns how to stop it. */
  onAccepted(listener: Listener<A>): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Resolves once `predicate` holds; rejects with the counts after `timeoutMs`. */
  waitFor(predicate: (requestLog: this) => boolean, timeoutMs = 10_000): Promise<void> {
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
        finish(() => reject(new Error(`not seen in the request log within ${timeoutMs} ms; it has ${now}`)))
      }, timeoutMs)
      this.#waiting.add(check)
    })
  }

  /** Forgets pushes and counts; open connections stay counted. */
  clear(): void {
    const { connectionsOpen, inFlight } = this.counts
    Object.assign(this.counts, emptyCounts(), { connectionsOpen, inFlight })
    this.#tokens.clear()
    this.#credentials.clear()
    this.#acceptedKept = []
    this.#rejectedKept = []
  }

  /** Counts a push without keeping anything of it; null where its device is not known. */
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

  /** For the counters that connections keep here: something in `counts` is different now. */
  changed(): void {
    if (this.#waiting.size === 0 || this.#checkQueued) return
    this.#checkQueued = true
    setImmediate(() => {
      this.#checkQueued = false
      for (const check of this.#waiting) check()
    })
  }
}

/** Appends, and now and then lets the oldest go, so that the array never holds more than twice `max`. */
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
