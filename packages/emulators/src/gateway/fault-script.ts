/**
 * What a test or a person tells a gateway to do differently from the honest thing. Settings hold for all
 * requests and connections, living ones too; rules pick single pushes. Rules see only what passed the
 * gateway's own checks: a fault script cannot make it lenient.
 */
export type Settings = {
  /** Time from the complete request to its answer, in milliseconds. */
  latencyMs: number
  /** Up to so many milliseconds more, evenly distributed. */
  jitterMs: number
  /** Every connection says GOAWAY with its n-th request and answers no later one. null: never. */
  goAwayAfter: number | null
  /** A connection without open streams for so long is told GOAWAY. null: never. */
  idleTimeoutMs: number | null
  /** HTTP/2 streams a connection may have open, once its credential has been accepted. */
  maxConcurrentStreams: number
  /** New connections are cut before TLS. */
  refuseConnections: boolean
  /** Nothing is looked at or answered until this is false again. */
  hold: boolean
}

/** Which devices a rule is for; without it every device. */
export type DeviceMatch = string | { prefix: string } | { regex: string }

export type FaultAction =
  /** An exception in front of wider rules. */
  | { kind: 'accept' }
  /** Answers with one of the gateway's own reasons. `timestamp` in milliseconds. */
  | { kind: 'reject'; reason: string; timestamp?: number; retryAfterSeconds?: number }
  /** RST_STREAM with an HTTP/2 error code; `accepted`: the push was taken all the same. */
  | { kind: 'reset'; code: number; accepted?: boolean }
  /** Cuts the connection, and all its streams; `accepted`: the push was taken all the same. */
  | { kind: 'disconnect'; accepted?: boolean }
  /** Waits for `release()`; `accepted`: the push is taken before. */
  | { kind: 'hold'; accepted?: boolean }

export type FaultRule = {
  id?: string
  device?: DeviceMatch
  /** Only the first n pushes that come to this rule. */
  first?: number
  /** Only the first n pushes to each device. */
  firstPerDevice?: number
  /** Share of pushes, 0 to 1, drawn from the seeded generator. */
  rate?: number
  do: FaultAction
}

type LiveRule = FaultRule & {
  readonly id: string
  readonly regex: RegExp | null
  used: number
  readonly usedByDevice: Map<string, number>
}

export const honest: Settings = {
  latencyMs: 0,
  jitterMs: 0,
  goAwayAfter: null,
  idleTimeoutMs: null,
  maxConcurrentStreams: 1000,
  refuseConnections: false,
  hold: false,
}

export class FaultScript {
  readonly #defaults: Settings
  #current: Settings
  readonly #live = new Map<string, LiveRule>()
  readonly #listeners = new Set<() => void>()
  #held: Array<() => void> = []
  #random: () => number
  #nextId = 1

  readonly #isReason: (reason: string) => boolean

  constructor(
    defaults: Partial<Settings> = {},
    seed = 1,
    isReason: (reason: string) => boolean = () => true,
  ) {
    this.#isReason = isReason
    this.#defaults = { ...honest, ...defaults }
    this.#current = { ...this.#defaults }
    this.#random = mulberry32(seed)
  }

  get settings(): Readonly<Settings> {
    return this.#current
  }

  get rules(): readonly FaultRule[] {
    return [...this.#live.values()].map(({ regex: _, usedByDevice: __, ...rule }) => rule)
  }

  /** Changes some settings, also for living connections. Ending `hold` releases what was held. */
  set(change: Partial<Settings>): void {
    this.#current = { ...this.#current, ...change }
    for (const listener of this.#listeners) listener()
    if (change.hold === false) this.release()
  }

  /** Adds a rule behind the others (the first that applies decides); returns its id. Throws on a reason unknown here. */
  add(rule: FaultRule): string {
    if (rule.do.kind === 'reject' && !this.#isReason(rule.do.reason)) {
      throw new RangeError(`this gateway has no reason ${rule.do.reason}`)
    }
    const id = rule.id ?? `rule-${this.#nextId++}`
    const regex =
      typeof rule.device === 'object' && 'regex' in rule.device ? new RegExp(rule.device.regex) : null
    this.#live.set(id, { ...rule, id, regex, used: 0, usedByDevice: new Map() })
    return id
  }

  remove(id: string): boolean {
    return this.#live.delete(id)
  }

  /** Removes all rules. */
  clear(): void {
    this.#live.clear()
  }

  /** Back to the settings it started with and no rules; what was held goes on. */
  reset(seed = 1): void {
    this.clear()
    this.#random = mulberry32(seed)
    this.set({ ...this.#defaults })
    this.release()
  }

  /** Lets everything go on that a hold stopped. */
  release(): void {
    const held = this.#held
    this.#held = []
    for (const go of held) go()
  }

  /** Number of requests that a hold stopped. */
  get holding(): number {
    return this.#held.length
  }

  park(go: () => void): void {
    this.#held.push(go)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  latencyMs(): number {
    const { latencyMs, jitterMs } = this.#current
    return jitterMs > 0 ? latencyMs + this.#random() * jitterMs : latencyMs
  }

  /** The action of the first rule that applies to a push to this device; null: do the honest thing. */
  decide(token: string): FaultAction | null {
    for (const rule of this.#live.values()) {
      if (!matches(rule, token)) continue
      if (rule.first !== undefined && rule.used >= rule.first) continue
      const times = rule.usedByDevice.get(token) ?? 0
      if (rule.firstPerDevice !== undefined && times >= rule.firstPerDevice) continue
      if (rule.rate !== undefined && this.#random() >= rule.rate) continue
      rule.used++
      if (rule.firstPerDevice !== undefined) rule.usedByDevice.set(token, times + 1)
      return rule.do
    }
    return null
  }
}

function matches(rule: LiveRule, token: string): boolean {
  const { device } = rule
  if (device === undefined) return true
  if (typeof device === 'string') return device === token
  return rule.regex ? rule.regex.test(token) : 'prefix' in device && token.startsWith(device.prefix)
}

/** A small generator with good spread; the same seed gives the same row on every machine. */
function mulberry32(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
