import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2'
import { Connection, type ConnectionParts } from './connection.ts'
import { BodyCollector, flatHeaders, type GatewayRequest, type Reply, repeatedNames } from './request.ts'

/**
 * HTTP/2 connection. nghttp2 itself rejects streams beyond the limit: with REFUSED_STREAM until the client has
 * acknowledged the limit, and then with a connection error (RFC 9113, 5.1.2, permits both).
 */
export class Http2Connection extends Connection {
  readonly #session: ServerHttp2Session
  readonly #onRequest: (request: GatewayRequest) => void
  readonly #stopListening: () => void
  #idleTimer: NodeJS.Timeout | null = null
  #trusted = false
  #lastStreamId = 0
  #leaving = false
  #unread: ServerHttp2Stream[] = []

  constructor(
    parts: ConnectionParts,
    session: ServerHttp2Session,
    onRequest: (request: GatewayRequest) => void,
  ) {
    super('h2', parts)
    const { faults, socket } = parts
    this.#session = session
    this.#onRequest = onRequest
    let limit = faults.settings.maxConcurrentStreams
    this.#stopListening = faults.onChange(() => {
      const { maxConcurrentStreams } = faults.settings
      if (this.#trusted && maxConcurrentStreams !== limit) this.#allow(maxConcurrentStreams)
      limit = maxConcurrentStreams
      this.#watchIdleness()
    })
    session.on('error', () => socket.destroy())
    session.on('close', () => this.#ended())
    session.on('stream', (stream, headers, _flags, rawHeaders) => this.#take(stream, headers, rawHeaders))
    this.#watchIdleness()
  }

  override trust(): void {
    if (this.#trusted) return
    this.#trusted = true
    this.#allow(this.faults.settings.maxConcurrentStreams)
  }

  /** Sends GOAWAY as APNs does: with the last stream that gets a response, and `{"reason":...}`. */
  override goAway(reason: string): void {
    if (this.#leaving || this.#session.destroyed) return
    this.#leaving = true
    this.#session.goaway(
      constants.NGHTTP2_NO_ERROR,
      this.#lastStreamId,
      Buffer.from(JSON.stringify({ reason })),
    )
    this.#leaveWhenDone()
  }

  #allow(maxConcurrentStreams: number): void {
    if (this.#session.destroyed || this.#leaving) return
    if (this.#session.localSettings.maxConcurrentStreams === maxConcurrentStreams) return
    this.#session.settings({ maxConcurrentStreams })
  }

  #take(
    stream: ServerHttp2Stream,
    headers: Readonly<Record<string, string | string[] | undefined>>,
    rawHeaders: readonly string[],
  ): void {
    stream.on('error', () => {})
    if (this.#leaving) {
      // It arrived in the same read as the last stream that counts. GOAWAY tells the sender that it was not read.
      this.#unread.push(stream)
      return
    }
    this.#lastStreamId = stream.id ?? 0
    this.entered()
    this.#watchIdleness()
    stream.once('close', () => {
      this.left()
      this.#watchIdleness()
      this.#leaveWhenDone()
    })
    const { goAwayAfter } = this.faults.settings
    if (goAwayAfter !== null && this.requests >= goAwayAfter) this.goAway('Shutdown')
    const body = new BodyCollector()
    stream.on('data', (chunk: Buffer) => body.add(chunk))
    stream.once('end', () =>
      this.#onRequest({
        connection: this,
        method: String(headers[':method'] ?? ''),
        path: String(headers[':path'] ?? ''),
        headers: flatHeaders(headers),
        repeatedHeaders: repeatedNames(rawHeaders),
        body: body.whole(),
        bodyBytes: body.bytes,
        respond: (reply) => respondOn(stream, reply),
        reset: (code) => stream.close(code),
      }),
    )
  }

  #leaveWhenDone(): void {
    if (!this.#leaving || this.inFlight > 0 || this.#session.destroyed) return
    for (const stream of this.#unread) stream.close(constants.NGHTTP2_REFUSED_STREAM)
    this.#unread = []
    this.#session.close()
  }

  #watchIdleness(): void {
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
    const { idleTimeoutMs } = this.faults.settings
    if (idleTimeoutMs === null || this.inFlight > 0 || this.#session.destroyed) return
    this.#idleTimer = setTimeout(() => this.goAway('IdleTimeout'), idleTimeoutMs)
  }

  #ended(): void {
    this.#stopListening()
    if (this.#idleTimer) clearTimeout(this.#idleTimer)
  }
}

function respondOn(stream: ServerHttp2Stream, reply: Reply): boolean {
  if (stream.destroyed || stream.closed) return false
  const headers = { ...reply.headers, ':status': reply.status }
  if (reply.body === undefined) {
    stream.respond(headers, { endStream: true })
  } else {
    stream.respond(headers)
    stream.end(reply.body)
  }
  return true
}
