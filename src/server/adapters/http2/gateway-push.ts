import type { Outcome, Prepared, Target } from '../../domain/push/delivery/gateway.ts'
import type { Push, PushRequest } from './connection-pool.ts'
import { MAX_ATTEMPTS, type Report } from './gateway-options.ts'
import type { Reply } from './reply.ts'
import type { Transport } from './transport.ts'

/** Destination of pushes that share a transport and a credential. */
export type Destination<P extends Prepared> = {
  transport: Transport
  report: Report
  /** Outcome of a push whose second credential is rejected too. */
  unauthorized: Outcome
  /** Called before a push is queued. Returns an outcome if there is no credential; then it is not sent. */
  awaitCredential?(): Outcome | undefined | Promise<Outcome | undefined>
  /** Returns the credential to send now. */
  credential(): string
  requestFor(prepared: P, target: Target, credential: string): PushRequest
  /** Returns what a reply means, or undefined if the credential was rejected and there may be a newer one. */
  outcomeOf(reply: Reply, credential: string): Outcome | undefined
}

/** Sends one push and reports its outcome. Repeats it once if the credential has expired. */
export function sendPush<P extends Prepared>(
  destination: Destination<P>,
  prepared: P & { messageId: string },
  target: Target,
  onTurn?: () => boolean,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    new GatewayPush(destination, prepared, target, onTurn, resolve, reject).send()
  })
}

class GatewayPush<P extends Prepared> implements Push {
  readonly flow: string
  refusals = 0
  readonly #destination: Destination<P>
  readonly #prepared: P
  readonly #target: Target
  readonly #onTurn: (() => boolean) | undefined
  readonly #resolve: (outcome: Outcome) => void
  readonly #reject: (error: unknown) => void
  readonly #startedAt = performance.now()
  #attempts = 0
  #credential = ''

  constructor(
    destination: Destination<P>,
    prepared: P & { messageId: string },
    target: Target,
    onTurn: (() => boolean) | undefined,
    resolve: (outcome: Outcome) => void,
    reject: (error: unknown) => void,
  ) {
    this.flow = prepared.messageId
    this.#destination = destination
    this.#prepared = prepared
    this.#target = target
    this.#onTurn = onTurn
    this.#resolve = resolve
    this.#reject = reject
  }

  send(): void {
    this.#attempts++
    const missing = this.#destination.awaitCredential?.()
    if (missing instanceof Promise) missing.then((outcome) => this.#queue(outcome)).catch(this.#reject)
    else this.#queue(missing)
  }

  makeRequest(): PushRequest | undefined {
    if (this.#onTurn && !this.#onTurn()) return undefined
    this.#credential = this.#destination.credential()
    return this.#destination.requestFor(this.#prepared, this.#target, this.#credential)
  }

  settle(reply: Reply): void {
    try {
      const outcome = this.#destination.outcomeOf(reply, this.#credential)
      if (outcome) this.#end(outcome)
      else if (this.#attempts === MAX_ATTEMPTS) this.#end(this.#destination.unauthorized)
      else this.send()
    } catch (error) {
      // Only this push: the caller of `settle` has other pushes.
      this.#reject(error)
    }
  }

  #queue(missing: Outcome | undefined): void {
    if (missing) this.#end(missing)
    else this.#destination.transport.send(this)
  }

  #end(outcome: Outcome): void {
    this.#resolve(this.#destination.report(outcome, this.#startedAt))
  }
}
