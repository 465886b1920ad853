import type { ServerResponse } from 'node:http'
import type { RequestKind } from '../../server/api/access/call-queue.ts'
import type { LoopCost, LoopUse } from '../../server/api/access/loop-share.ts'
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
} satisfies Record<RequestKind, LoopCost>
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

type QueueDeps = Pick<AppServices, 'addressPlaces' | 'loopShare' | 'countCall'> & {
  /** Handles what `respond` throws, and errors of this queue that are not `AppError`s. */
  fail(error: unknown, response: ServerResponse): void
}

type QueuedRequest = {
  response: ServerResponse
  path: string
  /** Pattern of the route; undefined for requests that Next handles. */
  pattern: string | undefined
  /** Key by which limits count the client's address. */
  address: string
}

/**
 * Queues requests by address before they cost anything. Each is counted: by address at the start of its turn, or by user
 * on routes that identify callers. Pages have a separate queue and count, because a page takes more CPU than most calls.
 * Health checks have a queue too, but no limit.
 */
export function createAddressQueue(deps: QueueDeps) {
  return (request: QueuedRequest, respond: (place: AddressPlace) => Promise<void>): void =>
    new QueueEntry(deps, request, respond).enter()
}

/** One request's path through the queue. A class, because closures for each request took longer. */
class QueueEntry implements AddressPlace {
  readonly #deps: QueueDeps
  readonly #request: QueuedRequest
  readonly #respond: (place: AddressPlace) => Promise<void>
  readonly #kind: RequestKind
  #isInQueue = false
  #isCounted = false
  #use: LoopUse | undefined
  #bytesBefore = 0

  constructor(deps: QueueDeps, request: QueuedRequest, respond: (place: AddressPlace) => Promise<void>) {
    const { pattern } = request
    this.#deps = deps
    this.#request = request
    this.#respond = respond
    this.#kind = pattern === undefined ? 'page' : pattern.startsWith(HEALTH) ? 'health' : 'address'
  }

  enter(): void {
    const { response, address } = this.#request
    let turn: Promise<void> | undefined
    try {
      const place = this.#deps.addressPlaces[this.#kind].enter(address, () => closeSignal(response))
      turn = place ? place.then(() => this.#waitForShare()) : this.#waitForShare()
    } catch (error) {
      this.#reject(error)
      return
    }
    // Most requests begin at once. A promise for each queue would take as long as the queues.
    if (!turn) this.#begin()
    else
      turn
        .then(
          () => (response.destroyed ? this.#leaveQueue() : this.#begin()),
          (error: unknown) => this.#reject(error),
        )
        .catch((error: unknown) => this.#deps.fail(error, response))
  }

  leave(caller?: 'unknown'): void {
    this.#isCounted = true
    if (caller !== 'unknown') this.#use?.end(true)
    this.#leaveQueue()
  }

  end(): void {
    this.#leaveQueue()
    if (this.#isCounted) return
    this.#isCounted = true
    this.#deps.countCall(`${this.#kind}:${this.#request.address}`)
  }

  #waitForShare(): Promise<void> | undefined {
    this.#isInQueue = true
    return this.#deps.loopShare.turn(this.#request.address)
  }

  #leaveQueue(): void {
    if (this.#isInQueue) this.#deps.addressPlaces[this.#kind].leave(this.#request.address)
    this.#isInQueue = false
  }

  #begin(): void {
    const { response, path, pattern, address } = this.#request
    const { loopShare, countCall } = this.#deps
    if (this.#kind === 'page' && BUILD_FILES.test(path)) {
      loopShare.charge(address, BUILD_FILE_MS)
      this.#leaveQueue()
      this.#isCounted = true
    } else {
      this.#use = loopShare.begin(address, LOOP_COST[this.#kind])
      this.#bytesBefore = response.req.socket.bytesWritten
      try {
        if (this.#kind === 'health') this.#isCounted = true
        else if (pattern === undefined || !IDENTIFIES_CALLERS.test(pattern)) {
          this.#isCounted = true
          countCall(`${this.#kind}:${address}`)
        }
      } catch (error) {
        this.#ended()
        this.#reject(error)
        return
      }
    }
    let responded: Promise<void>
    try {
      responded = this.#respond(this)
    } catch (error) {
      responded = Promise.reject(error)
    }
    responded.then(
      () => this.#ended(),
      (error: unknown) => {
        this.#ended()
        this.#deps.fail(error, response)
      },
    )
  }

  #ended(): void {
    const { socket } = this.#request.response.req
    this.#use?.end(false, (socket.bytesWritten - this.#bytesBefore) / BYTES_PER_MS)
    this.#leaveQueue()
  }

  /** Responds to a request that did not begin, because the queue is full or the address has called too often. */
  #reject(error: unknown): void {
    const { response } = this.#request
    if (response.destroyed) return
    if (!isAppError(error)) this.#deps.fail(error, response)
    else if (this.#kind === 'health') this.#begin()
    else if (this.#kind === 'page') rejectPage(response, error)
    else sendError(response, error).catch((failed: unknown) => this.#deps.fail(failed, response))
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
