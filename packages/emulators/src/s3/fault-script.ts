import { setTimeout as sleep } from 'node:timers/promises'
import { seededRandom } from '../seeded-random.ts'
import { messageOf, S3Error, statusOf } from './errors.ts'
import type { FaultAction, FaultRule, Held, Plan, Point, Quirks } from './fault-types.ts'
import type { Operation } from './types.ts'

/** Thrown if a fault ends the connection instead of responding. */
export class Dropped extends Error {}

/** Properties that rules match. */
export type Matchable = {
  requestId: string
  operation: Operation
  bucket?: string
  key?: string
  partNumber?: number
  req: { socket: { destroyed: boolean } }
}

type ActiveRule = { rule: FaultRule; pattern?: RegExp; seen: number; random: () => number }
type HeldRequest = { name: string; point: Point; request: Matchable; release: () => void }

/** Injects faults. The same object serves this process and the control server. */
export class FaultScript {
  #rules: ActiveRule[] = []
  #held: HeldRequest[] = []
  #waiting: (() => void)[] = []
  #public: { bucket?: string; prefix?: string }[] = []
  #nextId = 1
  #clockOffsetMs = 0
  readonly #stopped = new AbortController()
  readonly #quirksAtStart: Readonly<Quirks>
  readonly #quirks: Quirks

  constructor(quirks: Readonly<Quirks>) {
    this.#quirksAtStart = quirks
    this.#quirks = { ...quirks }
  }

  /** Adds a rule and returns its ID. All matching rules apply, earlier ones first. */
  add(rule: FaultRule): string {
    const id = rule.id ?? `rule-${this.#nextId++}`
    const pattern = rule.keyPattern === undefined ? undefined : new RegExp(rule.keyPattern, 'u')
    this.#rules.push({ rule: { ...rule, id }, pattern, seen: 0, random: seededRandom(rule.seed ?? 1) })
    return id
  }

  remove(id: string): void {
    this.#rules = this.#rules.filter((active) => active.rule.id !== id)
  }

  /** Restores the initial state: no rules, quirks, public prefixes or clock offset. Releases held requests. */
  reset(): void {
    this.#rules = []
    this.#public = []
    this.#clockOffsetMs = 0
    Object.assign(this.#quirks, this.#quirksAtStart)
    this.release()
  }

  setQuirks(quirks: Partial<Quirks>): void {
    Object.assign(this.#quirks, quirks)
  }

  get quirks(): Readonly<Quirks> {
    return this.#quirks
  }

  /** Allows anonymous GET and HEAD of objects in a bucket or with a prefix. Without an argument, of all objects. */
  publicRead(where: { bucket?: string; prefix?: string } = {}): void {
    this.#public.push(where)
  }

  isPublic(bucket: string, key: string): boolean {
    return this.#public.some(
      (one) => (one.bucket === undefined || one.bucket === bucket) && key.startsWith(one.prefix ?? ''),
    )
  }

  /** Sets the offset of the store's clock, for example to expire presigned URLs without waiting. */
  setClockOffset(ms: number): void {
    this.#clockOffsetMs = ms
  }

  get clockOffsetMs(): number {
    return this.#clockOffsetMs
  }

  held(): Held[] {
    return this.#held.map(({ name, point, request }) => {
      const { requestId, operation, key, req } = request
      return { name, point, requestId, operation, key, clientGone: req.socket.destroyed }
    })
  }

  /** Resolves when a request is held under this name. @throws Error after `timeoutMs` */
  async waitForHeld(name: string, timeoutMs = 60_000): Promise<Held> {
    const end = Date.now() + timeoutMs
    for (;;) {
      const found = this.held().find((one) => one.name === name)
      if (found) return found
      const left = end - Date.now()
      if (left <= 0) throw new Error(`No request was held as "${name}" within ${timeoutMs} ms`)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left)
        this.#waiting.push(() => {
          clearTimeout(timer)
          resolve()
        })
      })
    }
  }

  /** Continues requests held under this name, or all without a name. Returns their number. */
  release(name?: string): number {
    const released = this.#held.filter((one) => name === undefined || one.name === name)
    this.#held = this.#held.filter((one) => !released.includes(one))
    for (const one of released) one.release()
    return released.length
  }

  /** Returns what the rules do to a request, and counts it as seen. */
  plan(request: Matchable): Plan {
    const plan: Plan = { steps: { before: [], after: [] }, reportedSizeOffset: 0 }
    for (const active of this.#rules) {
      if (!matches(active, request)) continue
      const { action } = active.rule
      if (action.kind === 'throttle') plan.bytesPerSecond = action.bytesPerSecond
      else if (action.kind === 'truncate') plan.truncateBytes = action.bytes
      else if (action.kind === 'misreportSize') plan.reportedSizeOffset += action.addBytes
      else if (action.kind === 'drop' && action.afterBytes !== undefined)
        plan.dropAfterBytes = action.afterBytes
      else plan.steps[action.point ?? 'before'].push(action)
    }
    return plan
  }

  /** Runs the steps of a point in order. @throws S3Error for `fail`, Dropped for `drop` */
  async run(point: Point, plan: Plan, request: Matchable): Promise<void> {
    for (const action of plan.steps[point]) {
      if (action.kind === 'latency')
        await sleep(action.ms, undefined, { signal: this.#stopped.signal }).catch(() => {})
      else if (action.kind === 'drop') throw new Dropped()
      else if (action.kind === 'fail') throw failure(action)
      else if (action.kind === 'hold') await this.#hold(action.name, point, request)
      if (this.#stopped.signal.aborted) throw new Dropped()
    }
  }

  /** Ends all waiting permanently: the store is closing. */
  stop(): void {
    this.#stopped.abort()
    this.release()
  }

  #hold(name: string, point: Point, request: Matchable): Promise<void> {
    return new Promise((resolve) => {
      this.#held.push({ name, point, request, release: resolve })
      for (const wake of this.#waiting.splice(0)) wake()
    })
  }
}

function matches(active: ActiveRule, request: Matchable): boolean {
  const { rule } = active
  const operations = rule.operation === undefined ? undefined : [rule.operation].flat()
  if (operations && !operations.includes(request.operation)) return false
  if (rule.bucket !== undefined && rule.bucket !== request.bucket) return false
  if (rule.keyPrefix !== undefined && !request.key?.startsWith(rule.keyPrefix)) return false
  if (active.pattern && !active.pattern.test(request.key ?? '')) return false
  if (rule.partNumber !== undefined && rule.partNumber !== request.partNumber) return false
  active.seen++
  if (rule.nth !== undefined && active.seen !== rule.nth) return false
  if (rule.first !== undefined && active.seen > rule.first) return false
  return rule.probability === undefined || active.random() < rule.probability
}

function failure(action: Extract<FaultAction, { kind: 'fail' }>): S3Error {
  const headers: Record<string, string> = {}
  if (action.retryAfterSeconds !== undefined) headers['retry-after'] = String(action.retryAfterSeconds)
  const status = action.in200 ? 200 : (action.status ?? statusOf(action.code))
  return new S3Error(action.code, status, action.message ?? messageOf(action.code), { headers })
}
