import type { Duplex } from 'node:stream'
import pg from 'pg'

/** All connections of this process. */
const all = new Set<Connection>()

/**
 * A connection that is given up when a statement gets no answer in `limitMs`. pg's own `query_timeout` only fails the
 * caller: in a transaction the connection would go back to the pool, and the next statement queue behind the lost one.
 */
export class Connection extends pg.Client {
  limitMs = 0
  readonly #madeAt = performance.now()
  /** When the statement in progress was sent. */
  #askedAt: number | undefined
  #answeredAt = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(config?: pg.ClientConfig) {
    super(config)
    all.add(this)
    this.on('drain', () => this.#onAnswer())
    this.once('end', () => {
      all.delete(this)
      this.#onAnswer()
    })
  }

  ageMs(): number {
    return performance.now() - this.#madeAt
  }

  override query(...args: never[]): never {
    clearTimeout(this.#timer)
    this.#askedAt = performance.now()
    this.#timer = setTimeout(() => this.#onLimit(), Math.max(1, this.limitMs))
    return super.query(...(args as unknown as [string])) as never
  }

  /** Fails the statement in progress, and has the pool open another connection. */
  destroy(reason: Error): void {
    ;(this as unknown as { connection: { stream: Duplex } }).connection.stream.destroy(reason)
  }

  #onAnswer(): void {
    clearTimeout(this.#timer)
    this.#askedAt = undefined
    this.#answeredAt = performance.now()
  }

  /** A process that was suspended reads what has arrived first. */
  #onLimit(): void {
    const askedAt = this.#askedAt
    setImmediate(() => {
      if (askedAt !== undefined && this.#askedAt === askedAt) this.#onSilence(askedAt)
    })
  }

  /** After a failover all connections may be silent. Idle ones would make one caller after another wait. */
  #onSilence(askedAt: number): void {
    const silence = () =>
      Object.assign(new Error(`the database did not answer within ${this.limitMs} ms`), { code: 'ETIMEDOUT' })
    this.destroy(silence())
    for (const other of all)
      if (other.host === this.host && other.port === this.port && other.#isUnheardSince(askedAt))
        other.destroy(silence())
  }

  #isUnheardSince(time: number): boolean {
    return this.#askedAt === undefined && this.#answeredAt < time
  }
}
