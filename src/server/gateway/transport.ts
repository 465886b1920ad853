import type { AddressPolicy } from '../egress/address-policy.ts'
import type { Logger } from '../log.ts'
import { Admission } from './admission.ts'
import type { ConnectionPool, PoolEvents, PushRequest } from './connection-pool.ts'
import { FairQueue, type FlowKey } from './fair-queue.ts'
import { createH1Pool } from './h1-pool.ts'
import { createH2Pool } from './h2-pool.ts'
import { failure, type GatewayFailure, type Reply } from './reply.ts'
import type { Rate } from './token-bucket.ts'
import { Trial } from './trial.ts'

export type TransportOptions = {
  /** `https://host[:port]`: HTTP/2, or HTTP/1.1 if the peer speaks nothing else; `http://`: HTTP/1.1. */
  origin: string
  log: Logger
  /** Default: any address. */
  addresses?: AddressPolicy
  /** HTTP/2 connections, default 2; a further one is opened, one at a time, when the others have no stream left. */
  connections?: number
  /** Requests in flight, default 2000. */
  maxInFlight?: number
  rate?: Rate
  /** From the moment a request is put on a stream to the end of its response; default 10,000. */
  timeoutMs?: number
  /** Start with `trialFirst()`. */
  trialFirst?: boolean
}

export type Transport = {
  /**
   * Sends one request, at most once unless the gateway says that it has not processed it (GOAWAY, REFUSED_STREAM).
   * `makeRequest` is called when its turn has come; undefined: do not send. A flow does not delay other flows.
   */
  send(flow: FlowKey, makeRequest: () => PushRequest | undefined): Promise<Reply>
  /** From now on one request in flight, until `trialSucceeded()`: the gateway has yet to accept our credential. */
  trialFirst(): void
  trialSucceeded(): void
  /** The gateway tells everybody to wait: nothing is sent for `ms`, for this reason of its own. */
  pause(reason: string, ms: number): void
  /** Fails what is queued, waits up to `drainMs` for what is in flight, then closes the connections. */
  close(drainMs: number): Promise<void>
}

type QueuedRequest = {
  flow: FlowKey
  makeRequest: () => PushRequest | undefined
  resolve: (reply: Reply) => void
  refusals: number
}

const TICK_MS = 250
/** Making requests may take CPU (encryption): every so often others get a turn of the event loop. */
const SLICE_MS = 5
/** A gateway that keeps refusing is left alone: the caller's backoff is longer than ours. */
const MAX_REFUSALS = 3

/**
 * Requests to one push gateway: a fair queue in front of a connection pool. What is in flight is bounded, and the
 * timeout runs only while a request is on a stream: senders without a bound, whose timeouts run while requests
 * queue, lose everything above some 7,000. After a connect failure it pauses and fails what is queued.
 */
export function createTransport(options: TransportOptions): Transport {
  const { origin, log, timeoutMs = 10_000, maxInFlight = 2000, rate, addresses } = options
  const queue = new FairQueue<QueuedRequest>()
  const trial = new Trial(options.trialFirst ?? false)
  const admission = new Admission({ maxInFlight, rate, trial })
  let tickedAt = performance.now()
  let closing = false
  let sending = false
  let sendScheduled = false
  let tokenTimer: NodeJS.Timeout | undefined
  let onDrained: (() => void) | undefined

  const events: PoolEvents = {
    onCapacityChange: sendQueued,
    onVerified: () => admission.onVerified(),
    onConnectFailure,
  }
  let pool: ConnectionPool = origin.startsWith('http:')
    ? createH1Pool(origin, timeoutMs, events, addresses)
    : createH2Pool(
        {
          origin,
          addresses,
          maxConnections: options.connections ?? 2,
          mayConnect: () => admission.mayConnect(),
          onHttp1() {
            log.warn(
              { origin },
              'push gateway does not speak HTTP/2: falling back to HTTP/1.1, which is slow',
            )
            pool = createH1Pool(origin, timeoutMs, events, addresses)
            sendQueued()
          },
        },
        events,
      )
  const ticks = setInterval(tick, TICK_MS)
  ticks.unref()

  /** After the callers that have just got their reply: `trialFirst` or `pause` then apply to the next request. */
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

  function sendOne(queued: QueuedRequest): void {
    const request = queued.makeRequest()
    if (!request) {
      queued.resolve(failure('GIVEN_UP'))
      return
    }
    admission.onSent()
    pool.send(request, (reply) => {
      admission.onSettled()
      if (reply.kind === 'failure' && isSafeToResend(reply, queued)) queue.push(queued.flow, queued)
      else queued.resolve(replyOf(reply))
      if (admission.inFlight === 0) onDrained?.()
      sendQueuedSoon()
    })
  }

  /** After GOAWAY without a limit: a connection that closes before it carried a response causes a pause. */
  function isSafeToResend(reply: GatewayFailure, queued: QueuedRequest): boolean {
    if (closing) return false
    return (
      reply.reason === 'GOAWAY' || (reply.reason === 'STREAM_REFUSED' && ++queued.refusals < MAX_REFUSALS)
    )
  }

  /** The reply, with how long its caller is to wait. */
  function replyOf(reply: Reply): Reply {
    if (reply.kind === 'response') {
      trial.onResponse()
      return reply
    }
    const isUnanswered = reply.reason === 'CONNECTION_LOST' || reply.reason === 'TIMEOUT'
    // Pause, or a gateway that hangs would be tried one timeout after another, with everything queued behind.
    if (isUnanswered && !closing && trial.isActive) {
      trial.onTimeout()
      onConnectFailure(new Error(`${reply.reason} before any answer`))
    }
    const waitMs = admission.pausedMs(pool.isConnected())
    return waitMs > 0 ? { ...reply, afterMs: waitMs } : reply
  }

  function onConnectFailure(error: Error): void {
    const retryInMs = admission.onConnectFailure(performance.now())
    if (retryInMs !== undefined) log.warn({ err: error, origin, retryInMs }, 'push gateway not reachable')
    if (admission.pausedMs(pool.isConnected()) > 0) failQueued()
  }

  function failQueued(): void {
    for (let queued = queue.shift(); queued; queued = queue.shift()) queued.resolve(notSent())
  }

  function notSent(): GatewayFailure {
    if (closing) return failure('SHUTTING_DOWN')
    return failure(admission.pauseReason(), Math.max(1, admission.pausedMs(pool.isConnected())))
  }

  function tick(): void {
    const now = performance.now()
    const wasBlocked = now - tickedAt > 4 * TICK_MS
    tickedAt = now
    // The event loop was blocked: read what has arrived before peers are blamed for their silence.
    if (wasBlocked) return
    pool.tick(now, trial.timeoutMs(timeoutMs))
    // A pause may be over.
    sendQueued()
  }

  return {
    send(flow, makeRequest) {
      if (closing || admission.pausedMs(pool.isConnected()) > 0) return Promise.resolve(notSent())
      return new Promise((resolve) => {
        queue.push(flow, { flow, makeRequest, resolve, refusals: 0 })
        sendQueued()
      })
    },

    trialFirst: () => trial.start(),

    trialSucceeded() {
      if (!trial.isActive) return
      trial.succeed()
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
        log.warn({ origin, inFlight: admission.inFlight }, 'pushes cut off while closing')
        resolve()
      }, drainMs)
      onDrained = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
