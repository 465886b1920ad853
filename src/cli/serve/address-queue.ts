import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LoopCost } from '../../server/api/access/loop-share.ts'
import { addressKey, CLIENT_ADDRESS_HEADER } from '../../server/api/http/request-info.ts'
import { type AppError, isAppError } from '../../server/kernel/errors.ts'
import type { AppServices } from '../../server/wiring/build-services.ts'
import { sendError } from './send-error.ts'

/** Load balancers need responses while the service is busy. Without TRUST_PROXY, their probes share the clients' address. */
const HEALTH = '/api/health/'
/** Routes that identify callers. A request leaves the queue once its caller is identified and counted. */
const IDENTIFIES_CALLERS = /^\/(api\/(trpc|push|admin|metrics)|files|s)(\/|$)/
/** Files of the build. They do not keep their place, because slow networks take seconds for them. */
const BUILD_FILES = /^\/_next\/static\//

/** A page takes 7 to 10 ms on the machine of docs/performance.md. */
const LOOP_COST = {
  page: { expectedMs: 10, maxMs: 50 },
  address: { expectedMs: 1, maxMs: 5 },
  health: { expectedMs: 0.2, maxMs: 2 },
} satisfies Record<string, LoopCost>
/** Loop time of a file of the build, in milliseconds. */
const BUILD_FILE_MS = 0.5
/** Sending large responses also takes time after they have ended here, so their size is charged. */
const BYTES_PER_MS = 100_000

/** A request's place in the queue of its address. */
export type AddressPlace = {
  /** Makes room for the address's next request. An unknown caller's address pays for the whole request. */
  leave(caller?: 'unknown'): void
  /**
   * Leaves the queue, unless the request already has. A caller that is still unknown is counted by address.
   * @throws AppError TOO_MANY_REQUESTS
   */
  end(): void
}

/**
 * Queues requests by address before they cost anything. Each is counted: by address at the start of its turn, or by user
 * on routes that identify callers. Pages have a separate queue and count, because a page takes more CPU than most calls.
 * Health checks have a queue too, but no limit.
 */
export function createAddressQueue({
  addressPlaces,
  loopShare,
  countCall,
}: Pick<AppServices, 'addressPlaces' | 'loopShare' | 'countCall'>) {
  /** `pattern`: that of the route; undefined for requests that Next handles. */
  return function admit(
    request: IncomingMessage,
    response: ServerResponse,
    { path, pattern }: { path: string; pattern: string | undefined },
    respond: (place: AddressPlace) => Promise<void>,
  ): Promise<void> {
    const kind = pattern === undefined ? 'page' : pattern.startsWith(HEALTH) ? 'health' : 'address'
    const address = addressKey(String(request.headers[CLIENT_ADDRESS_HEADER]))
    const caller = `${kind}:${address}`
    const isIdentified = pattern !== undefined && IDENTIFIES_CALLERS.test(pattern)
    let isInQueue = false
    let turn: Promise<void> | undefined
    try {
      turn = nextTurn()
    } catch (error) {
      return reject(error)
    }
    // Most requests begin at once. A promise for each queue would take as long as the queues.
    return turn ? turn.then(beginUnlessClosed, reject) : begin()

    function nextTurn(): Promise<void> | undefined {
      const waiting = addressPlaces.enter(caller, () => closeSignal(response))
      if (!waiting) {
        isInQueue = true
        return loopShare.turn(address)
      }
      return waiting.then(() => {
        isInQueue = true
        return loopShare.turn(address)
      })
    }

    function leaveQueue(): void {
      if (isInQueue) addressPlaces.leave(caller)
      isInQueue = false
    }

    async function beginUnlessClosed(): Promise<void> {
      if (response.destroyed) leaveQueue()
      else await begin()
    }

    function begin(): Promise<void> {
      if (kind === 'page' && BUILD_FILES.test(path)) {
        loopShare.charge(address, BUILD_FILE_MS)
        leaveQueue()
        return respond({ leave() {}, end() {} })
      }
      const use = loopShare.begin(address, LOOP_COST[kind])
      let isCounted = !isIdentified
      const bytesBefore = request.socket.bytesWritten
      const leave = (who?: 'unknown') => {
        isCounted = true
        if (who !== 'unknown') use.end(true)
        leaveQueue()
      }
      const end = () => {
        leaveQueue()
        if (isCounted) return
        isCounted = true
        countCall(caller)
      }
      const ended = () => {
        use.end(false, (request.socket.bytesWritten - bytesBefore) / BYTES_PER_MS)
        leaveQueue()
      }
      try {
        if (!isIdentified && kind !== 'health') countCall(caller)
      } catch (error) {
        ended()
        return reject(error)
      }
      let responded: Promise<void>
      try {
        responded = respond({ leave, end })
      } catch (error) {
        responded = Promise.reject(error)
      }
      responded.then(ended, ended)
      return responded
    }

    /** Responds to a request that did not begin, because the queue is full or the address has called too often. */
    async function reject(error: unknown): Promise<void> {
      if (response.destroyed) return
      if (!isAppError(error)) throw error
      if (kind === 'health') return begin()
      if (kind === 'address') return sendError(response, error)
      rejectPage(response, error)
    }
  }
}

/** Returns a signal that aborts when the response closes, so that the request leaves the queue. */
function closeSignal(response: ServerResponse): AbortSignal {
  const closed = new AbortController()
  response.once('close', () => closed.abort())
  return closed.signal
}

function rejectPage(response: ServerResponse, error: AppError): void {
  response.writeHead(429, {
    'retry-after': String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))),
    'cache-control': 'no-store',
    'content-type': 'text/plain',
  })
  response.end(error.publicMessage)
}
