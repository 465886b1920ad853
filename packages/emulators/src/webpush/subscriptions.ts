import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { DeviceRegistry } from '../gateway/control-server.ts'
import { isServerKey } from './vapid.ts'

/** A message on its way to a browser; the push service cannot read the body. */
export type StoredPush = {
  readonly body: Buffer
  readonly topic: string | null
  /** Milliseconds since 1970; later it is not delivered. */
  readonly expiresAt: number
}

type Subscription = {
  /** Whose messages it takes: the `applicationServerKey`, base64url; null: anybody's. */
  key: string | null
  gone: boolean
  /** Of a browser that is running; without it messages are stored. */
  deliver: ((push: StoredPush) => void) | null
  stored: StoredPush[]
}

const shape = z.strictObject({
  applicationServerKey: z.string().refine(isServerKey, 'must be a point of P-256 in base64url').nullish(),
  gone: z.boolean().optional(),
})

/** The subscriptions of a push service, by the last part of their endpoints' paths. */
export class Subscriptions implements DeviceRegistry {
  readonly #known = new Map<string, Subscription>()
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /**
   * A browser subscribes, with the key of the application server or for anybody; returns the id.
   * @throws RangeError if the key is no point of P-256 in base64url
   */
  add(applicationServerKey: string | null, id = randomBytes(24).toString('base64url')): string {
    if (applicationServerKey !== null && !isServerKey(applicationServerKey))
      throw new RangeError('applicationServerKey must be an uncompressed point of P-256 in base64url')
    const key = applicationServerKey && Buffer.from(applicationServerKey, 'base64url').toString('base64url')
    this.#known.set(id, { key, gone: false, deliver: null, stored: [] })
    return id
  }

  /** The browser unsubscribes, or the service has ended the subscription: from now on 410. */
  unsubscribe(id: string): void {
    const known = this.#known.get(id)
    if (known) this.#known.set(id, { ...known, gone: true, deliver: null, stored: [] })
  }

  /** The browser is running: it gets what was stored, and then every message as it comes. Returns how to end it. */
  connect(id: string, deliver: (push: StoredPush) => void): () => void {
    const known = this.#known.get(id)
    if (!known || known.gone) throw new RangeError('there is no such subscription')
    known.deliver = deliver
    const waiting = known.stored
    known.stored = []
    for (const push of waiting) if (push.expiresAt > this.#now()) deliver(push)
    return () => {
      if (known.deliver === deliver) known.deliver = null
    }
  }

  /** Delivers a message, or stores it in place of the one with the same topic (RFC 8030, 5.4). TTL 0: never stored. */
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

  /** How many messages wait for the browser. */
  storedFor(id: string): number {
    return this.#known.get(id)?.stored.length ?? 0
  }

  get(id: string): Readonly<Pick<Subscription, 'key' | 'gone'>> | undefined {
    return this.#known.get(id)
  }

  /** The same with whatever came through the control server; throws a ZodError on a shape that is none. */
  put(id: string, subscription: unknown): void {
    const { applicationServerKey, gone } = shape.parse(subscription)
    this.add(applicationServerKey ?? null, id)
    if (gone) this.unsubscribe(id)
  }

  delete(id: string): boolean {
    return this.#known.delete(id)
  }
}
