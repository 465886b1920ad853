import { buildConnector, Pool } from 'undici'
import { Backoff } from './backoff.ts'
import type { Rate } from './bucket.ts'
import { Exchange } from './exchange.ts'
import { Gate } from './gate.ts'
import type { GatewayLog } from './log.ts'
import type { Reply } from './reply.ts'

export type TransportOptions = {
  /** `https://host[:port]`: HTTP/2, or HTTP/1.1 where the peer has nothing else; `http://`: HTTP/1.1. */
  origin: string
  log: GatewayLog
  /** HTTP/2 connections; a further one is opened, one at a time, when the streams of the others are used up. */
  connections?: number
  maxInFlight?: number
  rate?: Rate
  /** From the moment a request is put on a stream to the end of its answer. */
  timeoutMs?: number
  /** Begin with one request in flight, until `widen()`. */
  startNarrow?: boolean
}

export type PushRequest = { path: string; headers: string[]; body: Buffer | string }

export type Transport = {
  /**
   * One request, at most once unless the gateway says that it has not looked at it (GOAWAY, REFUSED_STREAM: once
   * more). `request` is called when its turn has come. Pushes of one `lane` do not hold up those of another.
   */
  send(lane: object, request: () => PushRequest): Promise<Reply>
  /** From now on one request in flight: the gateway has yet to accept our credential. */
  narrow(): void
  widen(): void
  /** Sends away what waits, gives what is in flight `timeoutMs`, then closes the connections. */
  close(timeoutMs: number): Promise<void>
}

/** What APNs allows on a connection, and undici's own ceiling; the peer's MAX_CONCURRENT_STREAMS lowers it, at any time. */
const MAX_STREAMS = 1000
/** HTTP/1.1 carries one request per connection. */
const HTTP1_CONNECTIONS = 128
/** Apple: keep connections open; a PING every minute (undici's default) tells whether the peer still lives. */
const IDLE_CONNECTION_MS = 60 * 60_000
const CONNECT_TIMEOUT_MS = 10_000
const SWEEP_MS = 1000
/** On top of undici's own time limit, which each byte received prolongs. */
const GRACE_MS = 1000

/** Requests to one push gateway: bounded, fair, with time limits that start on the stream, and backoff before reconnecting. */
export function createTransport(options: TransportOptions): Transport {
  const { origin, log, timeoutMs = 10_000, maxInFlight = 2000 } = options
  const gate = new Gate(options.startNarrow ? 1 : maxInFlight, options.rate)
  const backoff = new Backoff()
  const live = new Set<Exchange>()
  let isNarrow = options.startNarrow ?? false
  let closing = false
  /** A connection that never carried an answer counts as failed when it breaks. */
  let answeredSinceConnect = false

  const isHttp1 = origin.startsWith('http:')
  const connectSocket = buildConnector({ allowH2: !isHttp1, timeout: CONNECT_TIMEOUT_MS })
  const pool = new Pool(origin, {
    allowH2: !isHttp1,
    connections: isHttp1 ? HTTP1_CONNECTIONS : (options.connections ?? 2),
    // For HTTP/2 the number of streams counts; on HTTP/1.1 a request never waits behind another's answer.
    pipelining: 1,
    h2Options: { maxConcurrentStreams: MAX_STREAMS },
    keepAliveTimeout: isHttp1 ? 4000 : IDLE_CONNECTION_MS,
    keepAliveMaxTimeout: IDLE_CONNECTION_MS,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect(opts, callback) {
      const waitMs = backoff.waitMs(performance.now())
      if (waitMs > 0) {
        callback(new Error(`not connecting for another ${waitMs} ms`), null)
        return
      }
      connectSocket(opts, (...result) => {
        const [error] = result
        if (error) stumble(error)
        else answeredSinceConnect = false
        callback(...result)
      })
    },
  })

  function stumble(error: Error): void {
    const isFirst = backoff.waitMs(performance.now()) === 0
    const afterMs = backoff.fail(performance.now())
    if (isFirst) log.warn({ err: error, origin, retryInMs: afterMs }, 'push gateway not reachable')
    if (pausedMs() > 0) gate.turnAway()
  }

  /** How long nothing can be sent: no connection is there, and it is too early for another attempt. */
  function pausedMs(): number {
    const waitMs = backoff.waitMs(performance.now())
    return waitMs > 0 && pool.stats.connected === 0 ? waitMs : 0
  }

  /** What the transport learns from a reply. */
  function note(reply: Reply): Reply {
    if (reply.kind === 'answer') {
      // Answers on other connections must not end the wait: every push would then try to connect.
      if (!answeredSinceConnect) backoff.succeed()
      answeredSinceConnect = true
      return reply
    }
    if (closing) return reply
    const isSilent = reply.reason === 'CONNECTION_LOST' || reply.reason === 'TIMEOUT'
    // Without this a gateway that hangs would be tried one time limit after another, with everything waiting.
    if (isSilent && (isNarrow || !answeredSinceConnect))
      stumble(new Error(`${reply.reason} before any answer`))
    const afterMs = pausedMs()
    return afterMs > 0 ? { ...reply, afterMs } : reply
  }

  const sweep = setInterval(() => {
    const latest = performance.now() - timeoutMs - GRACE_MS
    for (const exchange of live)
      if (exchange.startedAt > 0 && exchange.startedAt < latest) exchange.abandon('TIMEOUT')
  }, SWEEP_MS)
  sweep.unref()

  function dispatch({ path, headers, body }: PushRequest): Promise<Reply> {
    return new Promise((resolve) => {
      const exchange = new Exchange((reply) => {
        live.delete(exchange)
        resolve(reply)
      })
      live.add(exchange)
      try {
        pool.dispatch({ method: 'POST', path, headers, body }, exchange)
      } catch (error) {
        // undici throws for what it cannot send at all, such as a header with a line break.
        log.error({ err: error, origin }, 'request could not be made')
        exchange.abandon('BAD_ANSWER')
      }
    })
  }

  function sentAway(): Reply {
    if (closing) return { kind: 'broken', reason: 'SHUTTING_DOWN' }
    return { kind: 'broken', reason: 'UNREACHABLE', afterMs: Math.max(1, pausedMs()) }
  }

  return {
    async send(lane, request) {
      if (closing || pausedMs() > 0) return sentAway()
      const place = gate.enter(lane)
      if (place !== true && !(await place)) return sentAway()
      try {
        return note(await dispatch(request()))
      } finally {
        gate.leave()
      }
    },

    narrow() {
      isNarrow = true
      gate.setLimit(1)
    },

    widen() {
      if (!isNarrow) return
      isNarrow = false
      gate.setLimit(maxInFlight)
    },

    async close(drainMs) {
      closing = true
      gate.turnAway()
      if (!(await gate.empty(drainMs)))
        log.warn({ origin, inFlight: gate.inFlight }, 'pushes cut off at close')
      clearInterval(sweep)
      await pool.destroy()
    },
  }
}
