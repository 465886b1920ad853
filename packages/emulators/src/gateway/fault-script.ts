import { seededRandom } from '../seeded-random.ts'

/**
 * Deviations that a test or a developer requests from a gateway. Settings apply to all requests and connections,
 * including open ones; rules select single pushes. Rules apply only to pushes that passed the gateway's own validation:
 * a fault script cannot make it lenient.
 */
export type Settings = {
  /** Time from the complete request to its response, in milliseconds. */
  latencyMs: number
  /** Maximum additional latency in milliseconds, evenly distributed. */
  jitterMs: number
  /** Every connection sends GOAWAY with its n-th request and reads no later one. Null: never. */
  goAwayAfter: number | null
  /** A connection without open streams for this time gets GOAWAY. Null: never. */
  idleTimeoutMs: number | null
  /** Maximum number of open HTTP/2 streams per connection, after its credential has been accepted. */
  maxConcurrentStreams: number
  /** Resets new connections before TLS. */
  refuseConnections: boolean
  /** Holds all requests until this is false again. */
  hold: boolean
}

/** Devices to which a rule applies. Default: every device. */
export type DeviceMatch = string | { prefix: string } | { regex: string }

export type FaultAction =
  /** Accepts the push: an exception to the rules that follow. */
  | { kind: 'accept' }
  /** Responds with one of the gateway's own reasons. `timestamp` in milliseconds. */
  | { kind: 'reject'; reason: string; timestamp?: number; retryAfterSeconds?: number }
  /** RST_STREAM with an HTTP/2 error code. `accepted`: the push is accepted nevertheless. */
  | { kind: 'reset'; code: number; accepted?: boolean }
  /** Closes the connection with all its streams. `accepted`: the push is accepted nevertheless. */
  | { kind: 'disconnect'; accepted?: boolean }
  /** Waits for `release()`. `accepted`: the push is accepted before. */
  | { kind: 'hold'; accepted?: boolean }

export type FaultRule = {
  id?: string
  device?: DeviceMatch
  /** Applies only to the first n pushes that reach this rule. */
  first?: number
  /** Applies only to the first n pushes to each device. */
  firstPerDevice?: number
  /** Share of pushes, 0 to 1, drawn from the seeded generator. */
  rate?: number
  do: FaultAction
}

type ActiveRule = FaultRule & {
  readonly id: string
  readonly regex: RegExp | null
  used: number
  readonly usedByDevice: Map<string, number>
}

const NO_FAULTS: Settings = {
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
  readonly #rules = new Map<string, ActiveRule>()
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
    this.#defaults = { ...NO_FAULTS, ...defaults }
    this.#current = { ...this.#defaults }
    this.#random = seededRandom(seed)
  }

  get settings(): Readonly<Settings> {
    return this.#current
  }

  get rules(): readonly FaultRule[] {
    return [...this.#rules.values()].map(({ regex: _, usedByDevice: __, ...rule }) => rule)
  }

  /** Changes some settings, even for open connections. Ending `hold` releases held requests. */
  set(change: Partial<Settings>): void {
    this.#current = { ...this.#current, ...change }
    for (const listener of this.#listeners) listener()
    if (change.hold === false) this.release()
  }

  /**
   * Adds a rule after the others (the first that applies decides), and returns its ID.
   * @throws RangeError for an unknown reason
   */
  add(rule: FaultRule): string {
    if (rule.do.kind === 'reject' && !this.#isReason(rule.do.reason)) {
      throw new RangeError(`This gateway has no reason ${rule.do.reason}`)
    }
    const id = rule.id ?? `rule-${this.#nextId++}`
    const regex =
      typeof rule.device === 'object' && 'regex' in rule.device ? new RegExp(rule.device.regex) : null
    this.#rules.set(id, { ...rule, id, regex, used: 0, usedByDevice: new Map() })
    return id
  }

  remove(id: string): boolean {
    return this.#rules.delete(id)
  }

  /** Removes all rules. */
  clear(): void {
    this.#rules.clear()
  }

  /** Restores the initial settings, removes all rules and releases held requests. */
  reset(seed = 1): void {
    this.clear()
    this.#random = seededRandom(seed)
    this.set({ ...this.#defaults })
    this.release()
  }

  /** Continues all held requests. */
  release(): void {
    const held = this.#held
    this.#held = []
    for (const resume of held) resume()
  }

  /** Number of held requests. */
  get holding(): number {
    return this.#held.length
  }

  park(resume: () => void): void {
    this.#held.push(resume)
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  latencyMs(): number {
    const { latencyMs, jitterMs } = this.#current
    return jitterMs > 0 ? latencyMs + this.#random() * jitterMs : latencyMs
  }

  /** Returns the action of the first rule that applies to a push to this device, or null if none does. */
  decide(token: string): FaultAction | null {
    for (const rule of this.#rules.values()) {
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

function matches(rule: ActiveRule, token: string): boolean {
  const { device } = rule
  if (device === undefined) return true
  if (typeof device === 'string') return device === token
  return rule.regex ? rule.regex.test(token) : 'prefix' in device && token.startsWith(device.prefix)
}
