import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
} from 'node:http2'
import { type Broken, broken, MAX_ANSWER_BYTES, type Reply } from './reply.ts'
import type { PushRequest } from './wire.ts'

const { NGHTTP2_CANCEL, NGHTTP2_FLAG_END_STREAM, NGHTTP2_NO_ERROR, NGHTTP2_REFUSED_STREAM } = constants
const HEADERS_FRAME = 1
/** Methods of Exchange as plain listeners would need a closure each, seven per push; they find it here instead. */
const EXCHANGE = Symbol('exchange')

type Stream = ClientHttp2Stream & { [EXCHANGE]: H2Exchange }

/** One request on one HTTP/2 stream. Settles exactly once, whatever the stream does afterwards. */
export class H2Exchange {
  /** When it was put on its stream, `performance.now()`: from here its time limit runs. */
  readonly startedAt = performance.now()
  private readonly stream: Stream
  private readonly settle: (reply: Reply, exchange: H2Exchange) => void
  private settled = false
  private skipped = false
  private status = 0
  private headers: IncomingHttpHeaders = {}
  private chunks: Buffer[] | undefined
  private bytes = 0

  /** @throws what node:http2 throws if the session is closing or a header cannot be sent */
  constructor(
    session: ClientHttp2Session,
    { path, headers, body }: PushRequest,
    settle: (reply: Reply, exchange: H2Exchange) => void,
  ) {
    this.settle = settle
    headers[':method'] = 'POST'
    headers[':path'] = path
    const stream = session.request(headers) as Stream
    this.stream = stream
    stream[EXCHANGE] = this
    stream.on('response', onResponse)
    stream.on('end', onEnd)
    stream.on('close', onClose)
    stream.on('error', onError)
    stream.on('frameError', onFrameError)
    stream.end(body)
  }

  /** Gives up on it and resets the stream. */
  abandon(reason: Broken): void {
    this.finish(broken(reason))
    this.stream.close(NGHTTP2_CANCEL)
  }

  /** The stream is over without a complete answer. */
  lose(): void {
    if (this.settled) return
    // The rest of a 200 tells nothing; to send again what was taken would.
    if (this.status === 200) {
      this.answer()
      return
    }
    const isSkipped = this.skipped || this.stream.rstCode === NGHTTP2_REFUSED_STREAM
    this.finish(broken(isSkipped && this.status === 0 ? 'STREAM_REFUSED' : 'CONNECTION_LOST'))
  }

  begin(headers: IncomingHttpHeaders & { ':status'?: number }, flags: number): void {
    this.status = headers[':status'] ?? 0
    this.headers = headers
    // Most answers of APNs are bare headers: complete now, not when the stream has come to its end.
    if (flags & NGHTTP2_FLAG_END_STREAM) this.answer()
    else this.stream.on('data', onData)
    this.stream.resume()
  }

  add(chunk: Buffer): void {
    this.bytes += chunk.length
    if (this.bytes > MAX_ANSWER_BYTES) {
      this.abandon('BAD_ANSWER')
      return
    }
    this.chunks ??= []
    this.chunks.push(chunk)
  }

  /** A reset ends the readable side too, with whatever had come by then. */
  end(): void {
    if (this.status !== 0 && this.stream.rstCode === NGHTTP2_NO_ERROR) this.answer()
  }

  private answer(): void {
    const body = this.chunks ? Buffer.concat(this.chunks).toString('utf8') : ''
    this.finish({ kind: 'answer', status: this.status, headers: this.headers, body })
  }

  /** The gateway has not looked at it: its HEADERS could not be sent, or its stream is beyond GOAWAY's last one. */
  skip(): void {
    this.skipped = true
  }

  /** undefined: node:http2 has yet to put it on the wire. */
  get streamId(): number | undefined {
    return this.stream.id
  }

  private finish(reply: Reply): void {
    if (this.settled) return
    this.settled = true
    this.settle(reply, this)
  }
}

function onResponse(this: ClientHttp2Stream, headers: IncomingHttpHeaders, flags: number): void {
  ;(this as Stream)[EXCHANGE].begin(headers, flags)
}

function onData(this: ClientHttp2Stream, chunk: Buffer): void {
  ;(this as Stream)[EXCHANGE].add(chunk)
}

function onEnd(this: ClientHttp2Stream): void {
  ;(this as Stream)[EXCHANGE].end()
}

function onClose(this: ClientHttp2Stream): void {
  ;(this as Stream)[EXCHANGE].lose()
}

/** 'close' always follows; without a listener the error would end the process. */
function onError(): void {}

function onFrameError(this: ClientHttp2Stream, type: number): void {
  if (type === HEADERS_FRAME) (this as Stream)[EXCHANGE].skip()
}
