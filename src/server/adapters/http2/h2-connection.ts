import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { CONNECT_TIMEOUT_MS } from './connect-tls.ts'
import type { Push, PushRequest } from './connection-pool.ts'
import { H2Stream } from './h2-stream.ts'
import { failure, type Reply } from './reply.ts'

/** APNs's limit for one connection, and the default for peers that set none. */
const MAX_STREAMS = 1000
/** Silence after which a PING distinguishes a slow peer from a dead connection. */
const SUSPECT_AFTER_MS = 2_000
/** Bounds of the time that a peer has to answer a PING, which is half the request timeout. */
const MIN_PING_TIMEOUT_MS = 1_000
const MAX_PING_TIMEOUT_MS = 2_500
/** Apple advises health checks by PING. Proxies and NAT forget silent connections. */
const PING_INTERVAL_MS = 60_000

type ConnectionEvents = {
  onReply(push: Push, reply: Reply): void
  onCapacity(): void
  /** The connection has carried its first response. */
  onVerified(): void
  onClosed(connection: H2Connection): void
}

/** One HTTP/2 connection. Stays within the peer's stream limit, and detects when the connection is dead. */
export class H2Connection {
  readonly #session: ClientHttp2Session
  readonly #events: ConnectionEvents
  /** Oldest first. */
  readonly #streams = new Set<H2Stream>()
  /** The peer's MAX_CONCURRENT_STREAMS; undefined until its first SETTINGS. */
  #maxStreams: number | undefined
  /** Start of the time without an open or allowed stream, `performance.now()`. */
  #uselessSince = performance.now()
  #verified = false
  #closing = false
  #goneAway = false
  /** When the unanswered PING was sent, `performance.now()`; 0 if there is none. */
  #pingSentAt = 0
  #lastReadAt = performance.now()
  /** A response is overdue, so the connection takes no requests until the peer answers a PING. */
  #suspect = false

  constructor(origin: string, socket: TLSSocket, events: ConnectionEvents) {
    this.#events = events
    this.#session = connect(origin, { createConnection: () => socket, settings: { enablePush: false } })
    this.#session.on('remoteSettings', (settings) => {
      // Peers can change the limit at any time.
      this.#maxStreams = Math.min(MAX_STREAMS, settings.maxConcurrentStreams ?? MAX_STREAMS)
      events.onCapacity()
    })
    // Peers still answer streams up to GOAWAY's last one, unless it carries an error.
    this.#session.on('goaway', (code, lastStreamId) => {
      this.#closing = true
      this.#goneAway = code === constants.NGHTTP2_NO_ERROR
      for (const stream of this.#streams)
        if (stream.id === undefined || stream.id > lastStreamId) stream.markUnprocessed()
    })
    // 'close' always follows. Without a listener, the error would crash the process.
    this.#session.on('error', () => {})
    this.#session.on('close', () => {
      this.#closing = true
      for (const stream of this.#streams) stream.onClosed()
      events.onClosed(this)
    })
  }

  /** Number of streams that can be opened now. */
  get capacity(): number {
    const isUsable = !this.#closing && !this.#suspect && !this.#session.closed && !this.#session.destroyed
    return isUsable ? (this.#maxStreams ?? 0) - this.#streams.size : 0
  }

  /** True until the peer's first SETTINGS arrive. */
  get isOpening(): boolean {
    return this.#maxStreams === undefined && !this.isClosing
  }

  /** True once the connection has carried a response. */
  get isVerified(): boolean {
    return this.#verified
  }

  /** True if the peer asked for a new connection without an error (GOAWAY, NO_ERROR). */
  get isGoneAway(): boolean {
    return this.#goneAway
  }

  /** True once the connection will never take another stream. */
  get isClosing(): boolean {
    return this.#closing || this.#session.closed
  }

  send(request: PushRequest, push: Push): void {
    try {
      this.#streams.add(new H2Stream(this.#session, request, push, this))
    } catch (error) {
      // node:http2 throws TypeErrors for headers. Other errors: the session is closing or has no stream IDs left.
      const isUnsendable = error instanceof TypeError
      if (!isUnsendable) {
        this.#closing = true
        if (!this.#session.destroyed) this.#session.close()
      }
      this.#events.onReply(push, failure(isUnsendable ? 'UNSENDABLE' : 'GOAWAY'))
    }
  }

  /** Called by each stream exactly once. */
  onReply(stream: H2Stream, reply: Reply): void {
    this.#streams.delete(stream)
    if (reply.kind === 'response') this.#responseRead()
    const isGoAway = reply.kind === 'failure' && reply.reason === 'STREAM_REFUSED' && this.isClosing
    this.#events.onReply(stream.push, isGoAway ? failure('GOAWAY') : reply)
  }

  tick(now: number, timeoutMs: number): void {
    for (const stream of this.#streams) {
      if (now - Math.max(stream.openedAt, this.#lastReadAt) > SUSPECT_AFTER_MS) this.#suspect = true
      if (now - stream.openedAt < timeoutMs) break
      this.#suspect = true
      stream.abort('TIMEOUT')
    }
    if (this.#streams.size > 0 || (this.#maxStreams ?? 0) > 0) this.#uselessSince = now
    // The peer sent no SETTINGS, or allows no stream.
    else if (now - this.#uselessSince > Math.min(timeoutMs, CONNECT_TIMEOUT_MS)) this.#session.destroy()
    if (this.#pingSentAt > 0) {
      const pingTimeoutMs = Math.max(MIN_PING_TIMEOUT_MS, Math.min(timeoutMs / 2, MAX_PING_TIMEOUT_MS))
      if (now - Math.max(this.#pingSentAt, this.#lastReadAt) > pingTimeoutMs) this.#session.destroy()
    } else if (this.#suspect || now - this.#lastReadAt > PING_INTERVAL_MS) this.#ping(now)
  }

  destroy(): void {
    this.#session.destroy()
  }

  #responseRead(): void {
    this.#lastReadAt = performance.now()
    if (this.#verified) return
    this.#verified = true
    this.#events.onVerified()
  }

  #ping(now: number): void {
    if (this.#session.destroyed) return
    const isSent = this.#session.ping((error) => {
      this.#pingSentAt = 0
      if (error) return
      this.#lastReadAt = performance.now()
      this.#suspect = false
      this.#events.onCapacity()
    })
    if (isSent) this.#pingSentAt = now
  }
}
