import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { DeviceRegistry } from '../gateway/control-server.ts'
import { isServerKey } from './vapid.ts'

/** Message on its way to a browser. The push service cannot read its body. */
export type StoredPush = {
  readonly body: Buffer
  readonly topic: string | null
  /** Milliseconds since 1970, after which it is not delivered. */
  readonly expiresAt: number
}

type Subscription = {
  /** `applicationServerKey` (base64url) whose messages it accepts. Null: any key. */
  key: string | null
  gone: boolean
  /** Delivers to a running browser. Null: messages are stored. */
  deliver: ((push: StoredPush) => void) | null
  stored: StoredPush[]
}

const shape = z.strictObject({
  applicationServerKey: z.string().refine(isServerKey, 'must be a P-256 point in base64url').nullish(),
  gone: z.boolean().optional(),
})

/** Subscriptions of a push service, by the last segment of their endpoint paths. */
export class Subscriptions implements DeviceRegistry {
  readonly #known = new Map<string, Subscription>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * Adds a subscription for the application server's key or for any key, and returns its ID.
   * @throws RangeError if the key is not a P-256 point in base64url
   */
  add(applicationServerKey: string | null, id = randomBytes(24).toString('base64url')): string {
    if (applicationServerKey !== null && !isServerKey(applicationServerKey))
      throw new RangeError('applicationServerKey must be an uncompressed P-256 point in base64url')
    const key = applicationServerKey && Buffer.from(applicationServerKey, 'base64url').toString('base64url')
    this.#known.set(id, { key, gone: false, deliver: null, stored: [] })
    return id
  }

  /** Ends a subscription, by the browser or the service: from now on 410. */
  unsubscribe(id: string): void {
    const known = this.#known.get(id)
    if (known) this.#known.set(id, { ...known, gone: true, deliver: null, stored: [] })
  }

  /**
   * Connects a running browser: delivers stored messages, then every new one. Returns a function that disconnects it.
   */
  connect(id: string, deliver: (push: StoredPush) => void): () => void {
    const known = this.#known.get(id)
    if (!known || known.gone) throw new RangeError('Subscription not found')
    known.deliver = deliver
    const waiting = known.stored
    known.stored = []
    for (const push of waiting) if (push.expiresAt > this.#now()) deliver(push)
    return () => {
      if (known.deliver === deliver) known.deliver = null
    }
  }

  /** Delivers a message, or stores it in place of the one with the same topic (RFC 8030, 5.4). Never stores TTL 0. */
  take(id: string, push: StoredPush): void {
    const known = this.#known.get(id)
    if (!known) return
    if (known.deliver) {
      known.deliver(push)
      return
    }
    const others = known.stored.filter(({ topic }) => topic === null || topic !== push.topic)
    known.stored = push.expiresAt > this.#now() ? [...others, push] : others
  }

  /** Returns the number of messages that wait for the browser. */
  storedFor(id: string): number {
    return this.#known.get(id)?.stored.length ?? 0
  }

  get(id: string): Readonly<Pick<Subscription, 'key' | 'gone'>> | undefined {
    return this.#known.get(id)
  }

  /** Adds a subscription from the control server. @throws ZodError if it is invalid */
  put(id: string, subscription: unknown): void {
    const { applicationServerKey, gone } = shape.parse(subscription)
    this.add(applicationServerKey ?? null, id)
    if (gone) this.unsubscribe(id)
  }

  delete(id: string): boolean {
    return this.#known.delete(id)
  }
}
