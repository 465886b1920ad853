import { createECDH, createHash, type ECDH, randomBytes } from 'node:crypto'
import { decrypt } from './decrypt.ts'
import type { WebPushEmulator } from './emulator.ts'

/** What `PushSubscription.toJSON()` gives to the application. */
export type SubscriptionJson = { endpoint: string; keys: { p256dh: string; auth: string } }

/** A message as the browser's service worker gets it. */
export type BrowserMessage = { text: string; at: number }

/**
 * A browser: it subscribes at the push service, keeps the private key to itself, and decrypts what arrives with code of
 * its own. With a `seed` subscriptions and keys are the same in every run.
 */
export class VirtualBrowser {
  readonly #service: Pick<WebPushEmulator, 'subscriptions' | 'endpointOf'>
  readonly #seed: string
  readonly #listeners = new Set<(message: BrowserMessage) => void>()
  #subscription: { id: string; ecdh: ECDH; auth: Buffer } | null = null
  #disconnect: () => void = () => {}
  #count = 0
  /** Newest last. */
  readonly messages: BrowserMessage[] = []

  constructor(service: Pick<WebPushEmulator, 'subscriptions' | 'endpointOf'>, seed?: string) {
    this.#service = service
    this.#seed = seed ?? randomBytes(32).toString('hex')
  }

  /** The id in the service's request log; null: not subscribed. */
  get id(): string | null {
    return this.#subscription?.id ?? null
  }

  /** `pushManager.subscribe`: a new endpoint and new keys each time, for messages of this key only. */
  subscribe(applicationServerKey: string): SubscriptionJson {
    this.unsubscribe()
    const made = this.#count++
    const secret = (what: string) => createHash('sha256').update(`${this.#seed} ${made} ${what}`).digest()
    const ecdh = createECDH('prime256v1')
    ecdh.setPrivateKey(secret('key'))
    const auth = secret('auth').subarray(0, 16)
    const id = this.#service.subscriptions.add(applicationServerKey, secret('id').toString('base64url'))
    this.#subscription = { id, ecdh, auth }
    this.connect()
    return {
      endpoint: this.#service.endpointOf(id),
      keys: { p256dh: ecdh.getPublicKey('base64url'), auth: auth.toString('base64url') },
    }
  }

  /** The endpoint answers 410 from now on. */
  unsubscribe(): void {
    if (this.#subscription) this.#service.subscriptions.unsubscribe(this.#subscription.id)
    this.#subscription = null
    this.#disconnect = () => {}
  }

  /** The browser is closed: the service stores its messages. */
  disconnect(): void {
    this.#disconnect()
  }

  /** It runs again, and gets what was stored. */
  connect(): void {
    if (!this.#subscription) throw new Error('this browser is not subscribed')
    const { id, ...keys } = this.#subscription
    this.#disconnect = this.#service.subscriptions.connect(id, ({ body }) => {
      const text = body.length === 0 ? '' : decrypt(body, keys).toString('utf8')
      const message = { text, at: Date.now() }
      this.messages.push(message)
      for (const listener of this.#listeners) listener(message)
    })
  }

  /** Calls `listener` with every message from now on; returns how to stop it. */
  onMessage(listener: (message: BrowserMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
