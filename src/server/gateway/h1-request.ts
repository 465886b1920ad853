import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { type FailureReason, failure, MAX_BODY_BYTES, type Reply } from './reply.ts'

/** undici's errors that say what happened; any other one after the start means a lost connection. */
const REASON_BY_CODE: Record<string, FailureReason> = {
  UND_ERR_HEADERS_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'BAD_ANSWER',
  UND_ERR_INVALID_ARG: 'UNSENDABLE',
  UND_ERR_DESTROYED: 'SHUTTING_DOWN',
  UND_ERR_CLOSED: 'SHUTTING_DOWN',
}

/** One request on undici's dispatcher. Settles exactly once, whatever undici calls afterwards. */
export class H1Request implements Dispatcher.DispatchHandler {
  /** When it was written to a connection, `performance.now()`; 0: it waits for one. */
  startedAt = 0
  #controller: Dispatcher.DispatchController | undefined
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

  /** Fails it and closes its connection. */
  abort(reason: FailureReason): void {
    this.#finish(failure(reason))
    this.#controller?.abort(new Error(reason))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    this.startedAt = performance.now()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BODY_BYTES) this.abort('BAD_ANSWER')
    else this.#chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.#chunks).toString('utf8')
    this.#finish({ kind: 'response', status: this.#status, headers: this.#headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    const known = error.code === undefined ? undefined : REASON_BY_CODE[error.code]
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
