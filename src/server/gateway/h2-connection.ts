import { type ClientHttp2Session, connect, constants } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { CONNECT_TIMEOUT_MS } from './dial.ts'
import { H2Exchange } from './h2-exchange.ts'
import { broken, type Reply } from './reply.ts'
import type { PushRequest } from './wire.ts'

/** What APNs allows on one connection; a peer that names no limit gets no more. */
const MAX_STREAMS = 1000
/** A request waits for so long and nothing has come: a PING tells a slow peer from a dead connection. */
const DOUBT_AFTER_MS = 2_000
/** How long a peer may take to show that it lives before the connection counts as dead: half a time limit, within these. */
const MIN_PING_LIMIT_MS = 1_000
const MAX_PING_LIMIT_MS = 2_500
/** Apple: check the health of a connection with PING; proxies and NAT forget silent ones. */
const PING_EVERY_MS = 60_000

export type ConnectionEvents = {
  /** Room has come. */
  onRoom(): void
  /** It has carried its first answer. */
  onProven(): void
  onClosed(connection: H2Connection): void
}

/** One HTTP/2 connection: keeps the peer's limit of streams at every moment, and notices when it is dead. */
export class H2Connection {
  private readonly session: ClientHttp2Session
  private readonly events: ConnectionEvents
  /** In the order in which they were put on streams. */
  private readonly exchanges = new Set<H2Exchange>()
  /** MAX_CONCURRENT_STREAMS; undefined until the peer has said how many. */
  private limit: number | undefined
  /** Since when it has been of no use, `performance.now()`. */
  private idleSince = performance.now()
  private proven = false
  private leaving = false
  private dismissed = false
  /** A PING is out since, `performance.now()`; 0: none. */
  private pingedAt = 0
  private heardAt = performance.now()
  /** A push waits for its answer too long: no further ones until the peer has shown that it lives. */
  private doubtful = false

  constructor(origin: string, socket: TLSSocket, events: ConnectionEvents) {
    this.events = events
    this.session = connect(origin, { createConnection: () => socket, settings: { enablePush: false } })
    this.session.on('remoteSettings', (settings) => {
      // Also on a living connection, at any time.
      this.limit = Math.min(MAX_STREAMS, settings.maxConcurrentStreams ?? MAX_STREAMS)
      events.onRoom()
    })
    // Streams up to GOAWAY's last one are still answered, unless it comes with an error.
    this.session.on('goaway', (code, lastStreamId) => {
      this.leaving = true
      this.dismissed = code === constants.NGHTTP2_NO_ERROR
      for (const exchange of this.exchanges)
        if (exchange.streamId === undefined || exchange.streamId > lastStreamId) exchange.skip()
    })
    // 'close' always follows; without a listener the error would end the process.
    this.session.on('error', () => {})
    this.session.on('close', () => {
      this.leaving = true
      for (const exchange of this.exchanges) exchange.lose()
      events.onClosed(this)
    })
  }

  /** How many more streams may be opened now. */
  get room(): number {
    const isUsable = !this.leaving && !this.doubtful && !this.session.closed && !this.session.destroyed
    return isUsable ? (this.limit ?? 0) - this.exchanges.size : 0
  }

  /** Waits for the peer's first SETTINGS. */
  get isOpening(): boolean {
    return this.limit === undefined && !this.isLeaving
  }

  /** Has carried an answer. */
  get isProven(): boolean {
    return this.proven
  }

  /** The peer asked for a new connection, without a fault (GOAWAY, NO_ERROR). */
  get isDismissed(): boolean {
    return this.dismissed
  }

  /** Takes no more streams, for good: it does not count as a connection any longer. */
  get isLeaving(): boolean {
    return this.leaving || this.session.closed
  }

  dispatch(request: PushRequest, settle: (reply: Reply) => void): void {
    try {
      const exchange = new H2Exchange(this.session, request, (reply, done) => {
        this.exchanges.delete(done)
        if (reply.kind === 'answer') this.heard()
        const isLate = reply.kind === 'broken' && reply.reason === 'STREAM_REFUSED' && this.isLeaving
        settle(isLate ? broken('GOAWAY') : reply)
      })
      this.exchanges.add(exchange)
    } catch (error) {
      // node:http2 throws TypeErrors for headers; else the session is going away or out of stream ids.
      const isUnsendable = error instanceof TypeError
      if (!isUnsendable) this.retire()
      settle(broken(isUnsendable ? 'UNSENDABLE' : 'GOAWAY'))
    }
  }

  tick(now: number, limitMs: number): void {
    for (const exchange of this.exchanges) {
      if (now - Math.max(exchange.startedAt, this.heardAt) > DOUBT_AFTER_MS) this.doubtful = true
      if (now - exchange.startedAt < limitMs) break
      this.doubtful = true
      exchange.abandon('TIMEOUT')
    }
    if (this.exchanges.size > 0 || (this.limit ?? 0) > 0) this.idleSince = now
    // No SETTINGS, or not one stream allowed.
    else if (now - this.idleSince > Math.min(limitMs, CONNECT_TIMEOUT_MS)) this.session.destroy()
    if (this.pingedAt > 0) {
      const pingLimitMs = Math.max(MIN_PING_LIMIT_MS, Math.min(limitMs / 2, MAX_PING_LIMIT_MS))
      if (now - Math.max(this.pingedAt, this.heardAt) > pingLimitMs) this.session.destroy()
    } else if (this.doubtful || now - this.heardAt > PING_EVERY_MS) this.ping(now)
  }

  destroy(): void {
    this.session.destroy()
  }

  private heard(): void {
    this.heardAt = performance.now()
    if (this.proven) return
    this.proven = true
    this.events.onProven()
  }

  private retire(): void {
    this.leaving = true
    if (!this.session.destroyed) this.session.close()
  }

  private ping(now: number): void {
    if (this.session.destroyed) return
    const isSent = this.session.ping((error) => {
      this.pingedAt = 0
      if (error) return
      this.heardAt = performance.now()
      this.doubtful = false
      this.events.onRoom()
    })
    if (isSent) this.pingedAt = now
  }
}
