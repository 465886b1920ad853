import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import type { Push, PushRequest } from './connection-pool.ts'
import { type FailureReason, failure, MAX_BODY_BYTES, type Reply } from './reply.ts'

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants
const HEADERS_FRAME = 1
/** Property under which listeners find their H2Stream. Bound methods would cost seven closures per push. */
const OWNER = Symbol('H2Stream')

type OwnedStream = ClientHttp2Stream & { [OWNER]: H2Stream }

/** The stream's connection, which gets its reply. */
type ReplyReceiver = { onReply(stream: H2Stream, reply: Reply): void }

/** One request on one HTTP/2 stream. Settles exactly once, whatever the stream does afterwards. */
export class H2Stream {
  /** Start of the request's timeout, `performance.now()`. */
  readonly openedAt = performance.now()
  readonly push: Push
  readonly #stream: OwnedStream
  readonly #receiver: ReplyReceiver
  #settled = false
  #unprocessed = false
  #status = 0
  #headers: IncomingHttpHeaders = {}
  #chunks: Buffer[] | undefined
  #bytes = 0

  /** @throws the error of node:http2 if the session is closing or a header is invalid */
  constructor(
    session: ClientHttp2Session,
    { path, headers, body }: PushRequest,
    push: Push,
    receiver: ReplyReceiver,
  ) {
    this.push = push
    this.#receiver = receiver
    const stream = session.request([':method', 'POST', ':path', path, ...headers]) as OwnedStream
    this.#stream = stream
    stream[OWNER] = this
    stream.on('response', onResponse)
    stream.on('end', onEnd)
    stream.on('close', onClose)
    stream.on('error', onError)
    stream.on('frameError', onFrameError)
    stream.end(body)
  }

  /** Undefined until node:http2 sends the HEADERS. */
  get id(): number | undefined {
    return this.#stream.id
  }

  /** Fails the request and resets the stream. */
  abort(reason: FailureReason): void {
    this.#finish(failure(reason))
    this.#stream.close(NGHTTP2_CANCEL)
  }

  /** The gateway has not processed the request: HEADERS could not be sent, or the ID is beyond GOAWAY's last one. */
  markUnprocessed(): void {
    this.#unprocessed = true
  }

  onHeaders(headers: IncomingHttpHeaders & { ':status'?: number }, flags: number): void {
    this.#status = headers[':status'] ?? 0
    this.#headers = headers
    // Most responses of APNs are headers only: complete them without waiting for the stream to close.
    if (flags & NGHTTP2_FLAG_END_STREAM) this.#complete()
    else this.#stream.on('data', onData)
    this.#stream.resume()
  }

  onData(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > MAX_BODY_BYTES) this.abort('BAD_ANSWER')
    // No one reads the body of an accepted push.
    else if (this.#status === 200) return
    else if (this.#chunks) this.#chunks.push(chunk)
    else this.#chunks = [chunk]
  }

  /** A reset also ends the readable side, possibly within the body. */
  onEnd(): void {
    if (this.#status !== 0 && this.#stream.rstCode === NGHTTP2_NO_ERROR) this.#complete()
  }

  /** The stream or its connection has closed. Without a complete response, the request has failed. */
  onClosed(): void {
    if (this.#settled) return
    // 200 means accepted: ignore a truncated body instead of resending.
    if (this.#status === 200) this.#complete()
    else {
      const isRefused = this.#unprocessed || this.#stream.rstCode === NGHTTP2_REFUSED_STREAM
      this.#finish(failure(isRefused && this.#status === 0 ? 'STREAM_REFUSED' : 'CONNECTION_LOST'))
    }
  }

  #complete(): void {
    const body = this.#chunks ? Buffer.concat(this.#chunks).toString('utf8') : ''
    this.#finish({ kind: 'response', status: this.#status, headers: this.#headers, body })
  }

  #finish(reply: Reply): void {
    if (this.#settled) return
    this.#settled = true
    this.#receiver.onReply(this, reply)
  }
}

function onResponse(this: OwnedStream, headers: IncomingHttpHeaders, flags: number): void {
  this[OWNER].onHeaders(headers, flags)
}

function onData(this: OwnedStream, chunk: Buffer): void {
  this[OWNER].onData(chunk)
}

function onEnd(this: OwnedStream): void {
  this[OWNER].onEnd()
}

function onClose(this: OwnedStream): void {
  this[OWNER].onClosed()
}

/** 'close' always follows. Without a listener, the error would crash the process. */
function onError(): void {}

function onFrameError(this: OwnedStream, type: number): void {
  if (type === HEADERS_FRAME) this[OWNER].markUnprocessed()
}
