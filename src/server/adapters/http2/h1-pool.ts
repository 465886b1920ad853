import type { IncomingHttpHeaders } from 'node:http'
import { type Dispatcher, Pool } from 'undici'
import type { AddressPolicy } from '../egress/address-policy.ts'
import { createConnector } from '../egress/egress-agent.ts'
import { CONNECT_TIMEOUT_MS } from './connect-tls.ts'
import type { ConnectionPool, PoolEvents } from './connection-pool.ts'
import { type FailureReason, failure, MAX_BODY_BYTES, type Reply } from './reply.ts'

/** HTTP/1.1 carries one request per connection. */
const CONNECTIONS = 128

/** HTTP/1.1 for peers without HTTP/2: plain-http emulators, and proxies that terminate HTTP/2. */
export function createH1Pool(
  origin: string,
  timeoutMs: number,
  events: PoolEvents,
  addresses?: AddressPolicy,
): ConnectionPool {
  const pool = new Pool(origin, {
    allowH2: false,
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: createConnector(addresses, { timeout: CONNECT_TIMEOUT_MS }),
  })
  const inFlight = new Set<H1Request>()

  return {
    hasCapacity: () => inFlight.size < CONNECTIONS,

    // undici opens connections itself.
    grow() {},

    isConnected: () => pool.stats.connected > 0,

    send({ path, headers, body }, push) {
      const request = new H1Request((reply) => {
        inFlight.delete(request)
        if (reply.kind === 'response') events.onVerified()
        events.onReply(push, reply)
      }, events.onConnectFailure)
      inFlight.add(request)
      pool.dispatch({ method: 'POST', path, headers: [...headers], body }, request)
    },

    tick(now, limitMs) {
      // undici's own timeouts restart with each byte received.
      for (const request of inFlight)
        if (request.startedAt > 0 && now - request.startedAt > limitMs) request.abort('TIMEOUT')
    },

    destroy: () => pool.destroy(),
  }
}

/** Meaning of undici's error codes. Any other error after the start is a lost connection. */
const REASON_BY_CODE: Record<string, FailureReason> = {
  UND_ERR_HEADERS_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'BAD_ANSWER',
  UND_ERR_INVALID_ARG: 'UNSENDABLE',
  UND_ERR_DESTROYED: 'SHUTTING_DOWN',
  UND_ERR_CLOSED: 'SHUTTING_DOWN',
}

type Controller = Dispatcher.DispatchController

/** One request on undici's dispatcher. Settles exactly once, whatever undici calls afterwards. */
class H1Request implements Dispatcher.DispatchHandler {
  /** When it was written to a connection, `performance.now()`. 0 while it waits for one. */
  startedAt = 0
  #controller: Controller | undefined
  #status = 0
  #headers: IncomingHttpHeaders = {}
  readonly #chunks: Buffer[] = []
  #bytes = 0
  #settled = false
  readonly #settle: (reply: Reply) => void
  readonly #onConnectFailure: (error: Error) => void

  constructor(settle: (reply: Reply) => void, onConnectFailure: (error: Error) => void) {
    this.#settle = settle
    this.#onConnectFailure = onConnectFailure
  }

  /** Fails the request and closes its connection. */
  abort(reason: FailureReason): void {
    this.#finish(failure(reason))
    this.#controller?.abort(new Error(reason))
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    this.startedAt = performance.now()
  }

  onResponseStart(_controller: Controller, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BODY_BYTES) this.abort('BAD_ANSWER')
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8')
    this.#finish({ kind: 'response', status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Controller, error: Error & { code?: string }): void {
    const known = REASON_BY_CODE[error.code ?? '']
    if (known) this.#finish(failure(known))
    else if (this.startedAt > 0)
      this.#finish(failure(error.code?.startsWith('HPE_') ? 'BAD_ANSWER' : 'CONNECTION_LOST'))
    else {
      this.#onConnectFailure(error)
      this.#finish(failure('UNREACHABLE'))
    }
  }

  #finish(reply: Reply): void {
    if (this.#settled) return
    this.#settled = true
    this.#settle(reply)
  }
}
