import type { Logger } from '../../kernel/log.ts'
import type { AddressPolicy } from '../egress/address-policy.ts'
import { Admission } from './admission.ts'
import type { ConnectionPool, PoolEvents, Push } from './connection-pool.ts'
import { FairQueue } from './fair-queue.ts'
import { createH1Pool } from './h1-pool.ts'
import { createH2Pool } from './h2-pool.ts'
import { failure, type GatewayFailure, type Reply } from './reply.ts'
import type { TokenBucket } from './token-bucket.ts'

export type TransportOptions = {
  /** `https://host[:port]` uses HTTP/2, or HTTP/1.1 if the peer supports nothing else. `http://` uses HTTP/1.1. */
  origin: string
  log: Logger
  /** Default: any address. */
  addresses?: AddressPolicy
  /** Maximum HTTP/2 connections, default 2. Opened one at a time, when the others have no stream left. */
  connections?: number
  /** Maximum requests in flight, default 2000. */
  maxInFlight?: number
  /** Limits the rate. Transports can share one. Default: no limit. */
  bucket?: TokenBucket
  /** From putting a request on a stream to the end of its response; default 10,000. */
  timeoutMs?: number
  /** Start with a trial, as after `startTrial()`. */
  isTrial?: boolean
}

export type Transport = {
  /**
   * Sends one push, at most once unless the gateway reports that it has not processed it (GOAWAY, REFUSED_STREAM). No
   * flow delays another.
   */
  send(push: Push): void
  /** Keeps one request in flight until `endTrial()`, because the gateway has yet to accept the credential. */
  startTrial(): void
  endTrial(): void
  /** Sends nothing for `ms`, because the gateway asks every caller to wait. `reason` is the gateway's. */
  pause(reason: string, ms: number): void
  /** Fails queued requests, waits up to `drainMs` for those in flight, then closes the connections. */
  close(drainMs: number): Promise<void>
}

const TICK_MS = 250
/** Creating requests can take CPU time (encryption), so yield to the event loop this often. */
const SLICE_MS = 5
/** Maximum refusals of a request. After that, the caller retries with a longer backoff. */
const MAX_REFUSALS = 3

/**
 * Requests to one push gateway: a fair queue in front of a connection pool. Requests in flight are bounded, and the
 * timeout runs only while a request is on a stream. Unbounded senders, whose timeouts include queueing, lose every
 * push above about 7,000. After a failed connection, the transport pauses and fails queued requests.
 */
export function createTransport(options: TransportOptions): Transport {
  const { origin, log, timeoutMs = 10_000, maxInFlight = 2000, bucket, addresses, isTrial = false } = options
  const queue = new FairQueue<Push>()
  const admission = new Admission({ maxInFlight, bucket, isTrial })
  let tickedAt = performance.now()
  let closing = false
  let sending = false
  let sendScheduled = false
  let tokenTimer: NodeJS.Timeout | undefined
  let onDrained: (() => void) | undefined

  const events: PoolEvents = {
    onReply,
    onCapacityChange: sendQueued,
    onVerified: () => admission.onVerified(),
    onConnectFailure,
  }
  const h1Pool = () => createH1Pool(origin, timeoutMs, events, addresses)
  const h2Options = {
    origin,
    addresses,
    maxConnections: options.connections ?? 2,
    canConnect: () => admission.canConnect(),
    onHttp1() {
      log.warn({ origin }, 'push gateway does not support HTTP/2: using HTTP/1.1, which is slow')
      pool = h1Pool()
      sendQueued()
    },
  }
  let pool: ConnectionPool = origin.startsWith('http:') ? h1Pool() : createH2Pool(h2Options, events)
  const pausedMs = () => admission.pausedMs(pool.isConnected())
  const ticks = setInterval(tick, TICK_MS)
  ticks.unref()

  /** Sends after the callers that have just got a reply, whose `startTrial` or `pause` must affect the next request. */
  function sendQueuedSoon(): void {
    if (sendScheduled) return
    sendScheduled = true
    queueMicrotask(sendQueued)
  }

  function sendQueued(): void {
    sendScheduled = false
    if (sending) return
    sending = true
    const sliceEnds = performance.now() + SLICE_MS
    while (queue.size > 0 && admission.hasPlace()) {
      if (performance.now() > sliceEnds) {
        setImmediate(sendQueued)
        break
      }
      if (!pool.hasCapacity()) {
        pool.grow()
        break
      }
      const waitMs = admission.takeToken()
      if (waitMs > 0) {
        tokenTimer ??= setTimeout(() => {
          tokenTimer = undefined
          sendQueued()
        }, waitMs)
        break
      }
      sendOne(queue.shift()!)
    }
    sending = false
  }

  function sendOne(push: Push): void {
    const request = push.makeRequest()
    if (!request) {
      push.settle(failure('GIVEN_UP'))
      return
    }
    admission.onSent()
    pool.send(request, push)
  }

  function onReply(push: Push, reply: Reply): void {
    admission.onSettled()
    if (reply.kind === 'failure' && isSafeToResend(reply, push)) queue.push(push.flow, push)
    else push.settle(replyOf(reply))
    if (admission.inFlight === 0) onDrained?.()
    sendQueuedSoon()
  }

  /** GOAWAY needs no limit: a connection that closes before it carried a response causes a pause. */
  function isSafeToResend({ reason }: GatewayFailure, push: Push): boolean {
    if (closing) return false
    return reason === 'GOAWAY' || (reason === 'STREAM_REFUSED' && ++push.refusals < MAX_REFUSALS)
  }

  /** Returns the reply, with the time that its caller must wait. */
  function replyOf(reply: Reply): Reply {
    if (reply.kind === 'response') {
      admission.onResponse()
      return reply
    }
    const isUnanswered = reply.reason === 'CONNECTION_LOST' || reply.reason === 'TIMEOUT'
    // Pause: if the gateway hangs, each request would otherwise wait for its own timeout.
    if (isUnanswered && !closing && admission.isTrial) {
      admission.onTrialTimeout()
      onConnectFailure(new Error(`${reply.reason} before any response`))
    }
    const waitMs = pausedMs()
    return waitMs > 0 ? { ...reply, afterMs: waitMs } : reply
  }

  function onConnectFailure(error: Error): void {
    const retryInMs = admission.onConnectFailure(performance.now())
    if (retryInMs !== undefined) log.warn({ err: error, origin, retryInMs }, 'push gateway not reachable')
    if (pausedMs() > 0) failQueued()
  }

  function failQueued(): void {
    for (let push = queue.shift(); push; push = queue.shift()) push.settle(notSent())
  }

  function notSent(): GatewayFailure {
    if (closing) return failure('SHUTTING_DOWN')
    return failure(admission.pauseReason(), Math.max(1, pausedMs()))
  }

  function tick(): void {
    const now = performance.now()
    const wasBlocked = now - tickedAt > 4 * TICK_MS
    tickedAt = now
    // After the event loop was blocked, read what has arrived before checking peers for silence.
    if (wasBlocked) return
    pool.tick(now, admission.timeoutMs(timeoutMs))
    // A pause may have ended.
    sendQueued()
  }

  return {
    send(push) {
      if (closing || pausedMs() > 0) {
        push.settle(notSent())
        return
      }
      queue.push(push.flow, push)
      sendQueued()
    },

    startTrial: () => admission.startTrial(),

    endTrial() {
      if (!admission.isTrial) return
      admission.endTrial()
      sendQueued()
    },

    pause(reason, ms) {
      admission.pause(reason, ms)
      failQueued()
    },

    async close(drainMs) {
      closing = true
      failQueued()
      if (admission.inFlight > 0) await drained(drainMs)
      clearInterval(ticks)
      clearTimeout(tokenTimer)
      await pool.destroy()
    },
  }

  function drained(drainMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        log.warn({ origin, inFlight: admission.inFlight }, 'pushes cut off at shutdown')
        resolve()
      }, drainMs)
      onDrained = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
