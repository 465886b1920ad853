import { Backoff } from '../backoff.ts'
import type { Logger } from '../log.ts'
import { Bucket, type Rate } from './bucket.ts'
import { createH1Wire } from './h1-wire.ts'
import { createH2Wire } from './h2-wire.ts'
import { Lanes } from './lanes.ts'
import { type BrokenReply, broken, type Reply } from './reply.ts'
import type { PushRequest, Wire, WireEvents } from './wire.ts'

export type TransportOptions = {
  /** `https://host[:port]`: HTTP/2, or HTTP/1.1 where the peer has nothing else; `http://`: HTTP/1.1. */
  origin: string
  log: Logger
  /** HTTP/2 connections; a further one is opened, one at a time, when the streams of the others are used up. */
  connections?: number
  maxInFlight?: number
  rate?: Rate
  /** From the moment a request is put on a stream to the end of its answer. */
  timeoutMs?: number
  /** Begin with one request in flight, until `widen()`. */
  startNarrow?: boolean
}

export type Transport = {
  /**
   * One request, at most once unless the gateway says that it has not looked at it (GOAWAY, REFUSED_STREAM).
   * `request` is called when its turn has come; undefined: it is not to be sent. Pushes of one `lane` do not hold up those of another.
   */
  send(lane: object, request: () => PushRequest | undefined): Promise<Reply>
  /** From now on one request in flight: the gateway has yet to accept our credential. */
  narrow(): void
  widen(): void
  /** The gateway says to everybody that it is too early: nothing is sent for a while, for this reason of its own. */
  pause(reason: string, ms: number): void
  /** Sends away what waits, gives what is in flight `drainMs`, then closes the connections. */
  close(drainMs: number): Promise<void>
}

type Job = {
  lane: object
  request: () => PushRequest | undefined
  resolve: (reply: Reply) => void
  refusals: number
}

const TICK_MS = 250
/**
 * While one request at a time may be in flight, one that hangs holds up everybody. After the first of these a second
 * one may go out beside it, before its caller repeats it after 2.5 s; after the second it is given up, before the
 * repeat that comes after 5 s. Later ones get the whole limit, for a gateway that is so slow.
 */
const START_PATIENCE_MS = 2_200
const START_TIMEOUT_MS = 4_700
const START_TRIES = 3
/** A gateway that keeps refusing is left alone: the caller's backoff is longer than ours. */
const MAX_REFUSALS = 3

/**
 * Requests to one push gateway. One fair queue; what is in flight is bounded; a time limit runs only while a
 * request is on a stream. Unbounded senders, whose limits run while requests wait, lose everything above some
 * 7,000 (measured, docs/performance.md). After a failed connection it pauses, and what waits is sent away.
 */
export function createTransport(options: TransportOptions): Transport {
  const { origin, log, timeoutMs = 10_000, maxInFlight = 2000 } = options
  const lanes = new Lanes<Job>()
  const bucket = options.rate && new Bucket(options.rate, performance.now())
  const backoff = new Backoff()
  let limit = options.startNarrow ? 1 : maxInFlight
  /** Requests in a row that got no answer while the bound was one. */
  let silences = 0
  let tickedAt = performance.now()
  /** When the last request was put on a stream, `performance.now()`. */
  let dispatchedAt = 0
  let inFlight = 0
  let closing = false
  let pumping = false
  let pumpQueued = false
  let refill: NodeJS.Timeout | undefined
  let pause = { until: 0, reason: '' }
  let onEmpty: (() => void) | undefined

  const events: WireEvents = {
    onChange: pump,
    onProven: () => backoff.succeed(),
    onUnreachable: stumble,
  }
  let wire: Wire = origin.startsWith('http:')
    ? createH1Wire(origin, timeoutMs, events)
    : createH2Wire(
        {
          origin,
          maxConnections: options.connections ?? 2,
          mayConnect: () => backoff.waitMs(performance.now()) === 0,
          onHttp1() {
            log.warn(
              { origin },
              'push gateway does not speak HTTP/2: falling back to HTTP/1.1, which is slow',
            )
            wire = createH1Wire(origin, timeoutMs, events)
            pump()
          },
        },
        events,
      )
  const ticks = setInterval(tick, TICK_MS)
  ticks.unref()

  /** After those who have just got their reply: what they learn from it (`narrow`, `pause`) holds for the next request. */
  function pumpSoon(): void {
    if (pumpQueued) return
    pumpQueued = true
    queueMicrotask(pump)
  }

  /** Puts what waits on streams, as far as streams, bound and rate allow. */
  function pump(): void {
    pumpQueued = false
    if (pumping) return
    pumping = true
    while (lanes.size > 0 && inFlight < bound()) {
      if (!wire.hasRoom()) {
        wire.grow()
        break
      }
      if (bucket && !bucket.take(performance.now())) {
        refill ??= setTimeout(() => {
          refill = undefined
          pump()
        }, bucket.waitMs())
        break
      }
      dispatch(lanes.shift()!)
    }
    pumping = false
  }

  function bound(): number {
    return limit === 1 && performance.now() - dispatchedAt > START_PATIENCE_MS ? 2 : limit
  }

  function dispatch(job: Job): void {
    const request = job.request()
    if (!request) {
      job.resolve(broken('GIVEN_UP'))
      return
    }
    inFlight++
    dispatchedAt = performance.now()
    wire.dispatch(request, (reply) => {
      inFlight--
      if (reply.kind === 'broken' && isSafeToRepeat(reply, job)) lanes.push(job.lane, job)
      else job.resolve(note(reply))
      if (inFlight === 0) onEmpty?.()
      pumpSoon()
    })
  }

  /** Without end only after GOAWAY: a connection that ends before it carried an answer makes a pause. */
  function isSafeToRepeat(reply: BrokenReply, job: Job): boolean {
    if (closing) return false
    return reply.reason === 'GOAWAY' || (reply.reason === 'STREAM_REFUSED' && ++job.refusals < MAX_REFUSALS)
  }

  /** What is to be learnt from a reply. */
  function note(reply: Reply): Reply {
    if (reply.kind === 'answer') {
      silences = 0
      return reply
    }
    const isSilent = reply.reason === 'CONNECTION_LOST' || reply.reason === 'TIMEOUT'
    // Else a gateway that hangs would be tried one time limit after another, with everything waiting.
    if (isSilent && !closing && limit === 1) {
      silences++
      stumble(new Error(`${reply.reason} before any answer`))
    }
    const waitMs = pausedMs()
    return waitMs > 0 ? { ...reply, afterMs: waitMs } : reply
  }

  function stumble(error: Error): void {
    const isFirst = backoff.waitMs(performance.now()) === 0
    const retryInMs = backoff.fail(performance.now())
    if (isFirst) log.warn({ err: error, origin, retryInMs }, 'push gateway not reachable')
    if (pausedMs() > 0) turnAway()
  }

  /** How long nothing is sent; after a failure, connections that are there are still used. */
  function pausedMs(): number {
    const now = performance.now()
    const backoffMs = backoff.waitMs(now)
    const brokenMs = backoffMs > 0 && (limit === 1 || !wire.isConnected()) ? backoffMs : 0
    return Math.max(brokenMs, Math.ceil(pause.until - now))
  }

  function turnAway(): void {
    for (let job = lanes.shift(); job; job = lanes.shift()) job.resolve(away())
  }

  function away(): BrokenReply {
    if (closing) return broken('SHUTTING_DOWN')
    const reason = pause.until > performance.now() ? pause.reason : 'UNREACHABLE'
    return broken(reason, Math.max(1, pausedMs()))
  }

  function tick(): void {
    const now = performance.now()
    const stalled = now - tickedAt > 4 * TICK_MS
    tickedAt = now
    // This process stood still: what came meanwhile is read before a peer is blamed for its silence.
    if (stalled) return
    const isNarrow = limit === 1 && silences < START_TRIES
    wire.tick(now, isNarrow ? Math.min(timeoutMs, START_TIMEOUT_MS) : timeoutMs)
    // A pause may be over.
    pump()
  }

  return {
    send(lane, request) {
      if (closing || pausedMs() > 0) return Promise.resolve(away())
      return new Promise((resolve) => {
        lanes.push(lane, { lane, request, resolve, refusals: 0 })
        pump()
      })
    },

    narrow() {
      limit = 1
    },

    widen() {
      if (limit === maxInFlight) return
      limit = maxInFlight
      pump()
    },

    pause(reason, ms) {
      pause = { until: Math.max(pause.until, performance.now() + ms), reason }
      turnAway()
    },

    async close(drainMs) {
      closing = true
      turnAway()
      if (inFlight > 0) await drained(drainMs)
      clearInterval(ticks)
      clearTimeout(refill)
      await wire.destroy()
    },
  }

  function drained(drainMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        log.warn({ origin, inFlight }, 'pushes cut off while closing')
        resolve()
      }, drainMs)
      onEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
