import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { type Broken, broken, MAX_ANSWER_BYTES, type Reply } from './reply.ts'

/** undici's errors that say what happened; anything else after the start is a lost connection. */
const BROKEN_BY_CODE: Record<string, Broken> = {
  UND_ERR_HEADERS_TIMEOUT: 'TIMEOUT',
  UND_ERR_BODY_TIMEOUT: 'TIMEOUT',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'BAD_ANSWER',
  UND_ERR_INVALID_ARG: 'UNSENDABLE',
  UND_ERR_DESTROYED: 'SHUTTING_DOWN',
  UND_ERR_CLOSED: 'SHUTTING_DOWN',
}

/** One request on undici's dispatcher. Settles exactly once, whatever undici calls afterwards. */
export class H1Exchange implements Dispatcher.DispatchHandler {
  /** When it was written to a connection, `performance.now()`; 0: it waits for one. */
  startedAt = 0
  private controller: Dispatcher.DispatchController | undefined
  private status = 0
  private headers: IncomingHttpHeaders = {}
  private readonly chunks: Buffer[] = []
  private bytes = 0
  private settled = false
  private readonly settle: (reply: Reply) => void
  private readonly onUnreachable: (error: Error) => void

  constructor(settle: (reply: Reply) => void, onUnreachable: (error: Error) => void) {
    this.settle = settle
    this.onUnreachable = onUnreachable
  }

  /** Gives up on it and closes its connection. */
  abandon(reason: Broken): void {
    this.finish(broken(reason))
    this.controller?.abort(new Error(reason))
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    this.startedAt = performance.now()
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    this.status = status
    this.headers = headers
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.bytes > MAX_ANSWER_BYTES) this.abandon('BAD_ANSWER')
    else this.chunks.push(chunk)
  }

  onResponseEnd(): void {
    const body = Buffer.concat(this.chunks).toString('utf8')
    this.finish({ kind: 'answer', status: this.status, headers: this.headers, body })
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error & { code?: string }): void {
    const known = error.code === undefined ? undefined : BROKEN_BY_CODE[error.code]
    if (known) this.finish(broken(known))
    else if (this.startedAt > 0)
      this.finish(broken(error.code?.startsWith('HPE_') ? 'BAD_ANSWER' : 'CONNECTION_LOST'))
    else {
      this.onUnreachable(error)
      this.finish(broken('UNREACHABLE'))
    }
  }

  private finish(reply: Reply): void {
    if (this.settled) return
    this.settled = true
    this.settle(reply)
  }
}
