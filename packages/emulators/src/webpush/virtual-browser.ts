import { createECDH, createHash, type ECDH, randomBytes } from 'node:crypto'
import { decrypt } from './decrypt.ts'
import type { WebPushEmulator } from './emulator.ts'

/** Result of `PushSubscription.toJSON()`, which the application gets. */
export type SubscriptionJson = { endpoint: string; keys: { p256dh: string; auth: string } }

/** Message as the browser's service worker gets it. */
export type BrowserMessage = { text: string; at: number }

/**
 * Browser that subscribes to the push service, keeps the private key, and decrypts messages with its own code. A
 * `seed` makes subscriptions and keys the same in every run.
 */
export class VirtualBrowser {
  readonly #service: Pick<WebPushEmulator, 'subscriptions' | 'endpointOf'>
  readonly #seed: string
  readonly #listeners = new Set<(message: BrowserMessage) => void>()
  #subscription: { id: string; ecdh: ECDH; auth: Buffer } | null = null
  #disconnect: () => void = () => {}
  #count = 0
  /** Received messages, newest last. */
  readonly messages: BrowserMessage[] = []

  constructor(service: Pick<WebPushEmulator, 'subscriptions' | 'endpointOf'>, seed?: string) {
    this.#service = service
    this.#seed = seed ?? randomBytes(32).toString('hex')
  }

  /** ID of the subscription in the service's request log; null if not subscribed. */
  get id(): string | null {
    return this.#subscription?.id ?? null
  }

  /**
   * Subscribes like `pushManager.subscribe`: with a new endpoint and new keys each time, for messages of this key only.
   */
  subscribe(applicationServerKey: string): SubscriptionJson {
    this.unsubscribe()
    const number = this.#count++
    const secret = (what: string) => createHash('sha256').update(`${this.#seed} ${number} ${what}`).digest()
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

  /** Unsubscribes. From now on, the endpoint responds with 410. */
  unsubscribe(): void {
    if (this.#subscription) this.#service.subscriptions.unsubscribe(this.#subscription.id)
    this.#subscription = null
    this.#disconnect = () => {}
  }

  /** Closes the browser: the service stores its messages. */
  disconnect(): void {
    this.#disconnect()
  }

  /** Starts the browser again, which gets the stored messages. */
  connect(): void {
    if (!this.#subscription) throw new Error('This browser is not subscribed')
    const { id, ...keys } = this.#subscription
    this.#disconnect = this.#service.subscriptions.connect(id, ({ body }) => {
      const text = body.length === 0 ? '' : decrypt(body, keys).toString('utf8')
      const message = { text, at: Date.now() }
      this.messages.push(message)
      for (const listener of this.#listeners) listener(message)
    })
  }

  /** Calls `listener` with every message from now on. Returns a function that stops it. */
  onMessage(listener: (message: BrowserMessage) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
