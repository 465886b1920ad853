import type { EventEmitter } from 'node:events'
import type { Duplex } from 'node:stream'
import pg from 'pg'

/**
 * Errors after which a connection is discarded. The server is read-only (25006: a standby after a failover), shuts down
 * or starts (57P01 to 57P03), or has lost the connection (class 08).
 */
const LOST_SERVER = /^(25006|57P0[123]|08...)$/

type Protocol = { errorMessage: [error: { code?: string }] }

/** Returns the host to connect to. Without it, a connection goes to the host of its configuration. */
export type FindHost = () => Promise<{ host: string; port: number }>

/** Every open connection of this process. */
const all = new Set<Connection>()

/**
 * Connection that is closed when a statement gets no response within `limitMs`. pg's own `query_timeout` only fails the
 * caller. In a transaction, the connection would return to the pool, and the next statement would queue behind the lost one.
 */
export class Connection extends pg.Client {
  /** The first statement's limit includes the time since the connection was made. */
  limitMs = 0
  readonly #madeAt = performance.now()
  #isFirst = true
  /** When the statement in progress was sent. */
  #askedAt: number | undefined
  #answeredAt = performance.now()
  #timer: NodeJS.Timeout | undefined
  #isServerLost = false

  readonly #findHost: FindHost | undefined

  constructor(config?: pg.ClientConfig, findHost?: FindHost) {
    super(config)
    this.#findHost = findHost
    // The pool removes its listener when it lends a connection, and Prisma adds one a microtask later. PostgreSQL can
    // announce its shutdown in between, and an `error` event without a listener ends the process.
    this.on('error', () => {})
    this.#protocol.on('errorMessage', ({ code }) => {
      if (LOST_SERVER.test(code ?? '')) this.#isServerLost = true
    })
    this.on('drain', () => this.#onAnswer())
    this.once('end', () => {
      all.delete(this)
      this.#onAnswer()
    })
  }

  /** True if the server has reported that it no longer serves this connection. The pool then discards it. */
  get isServerLost(): boolean {
    return this.#isServerLost
  }

  /** The protocol below the client, which pg does not type. */
  get #protocol() {
    return (this as unknown as { connection: EventEmitter<Protocol> & { stream: Duplex } }).connection
  }

  /** ID of the server process, as the server announced it when the connection began. pg does not type it. */
  declare readonly processID: number | null

  override connect(): Promise<this>
  override connect(callback: (error: Error | null, client?: this) => void): void
  override connect(callback?: (error: Error | null, client?: this) => void): Promise<this> | undefined {
    const connected = this.#connect()
    if (!callback) return connected
    connected.then((client) => callback(null, client), callback)
    return undefined
  }

  async #connect(): Promise<this> {
    if (this.#findHost) {
      const { host, port } = await this.#findHost()
      // The pool has given up. A destroyed socket would connect anyway.
      if (this.#protocol.stream.destroyed) throw new Error('timeout exceeded when trying to connect')
      this.host = host
      this.port = port
    }
    all.add(this)
    await super.connect()
    return this
  }

  override query(...args: never[]): never {
    clearTimeout(this.#timer)
    this.#askedAt = performance.now()
    const usedMs = this.#isFirst ? this.#askedAt - this.#madeAt : 0
    this.#isFirst = false
    this.#timer = setTimeout(() => this.#onLimit(), Math.max(1, this.limitMs - usedMs))
    return super.query(...(args as unknown as [string])) as never
  }

  /** Fails the statement in progress. The pool then opens another connection. */
  destroy(reason: Error): void {
    this.#protocol.stream.destroy(reason)
  }

  #onAnswer(): void {
    clearTimeout(this.#timer)
    this.#askedAt = undefined
    this.#answeredAt = performance.now()
  }

  /** Reads pending data first, because the process may have been suspended. */
  #onLimit(): void {
    const askedAt = this.#askedAt
    setImmediate(() => {
      if (askedAt !== undefined && this.#askedAt === askedAt) this.#onSilence(askedAt)
    })
  }

  /** Also closes idle connections to this server: after a failover, each would make another caller wait. */
  #onSilence(askedAt: number): void {
    const silence = () =>
      Object.assign(new Error(`the database did not answer within ${Math.round(this.limitMs)} ms`), {
        code: 'ETIMEDOUT',
      })
    this.destroy(silence())
    for (const other of all)
      if (other.host === this.host && other.port === this.port && other.#isUnheardSince(askedAt))
        other.destroy(silence())
  }

  #isUnheardSince(time: number): boolean {
    return this.#askedAt === undefined && this.#answeredAt < time
  }
}
