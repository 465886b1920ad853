import type { IncomingMessage, ServerResponse } from 'node:http'
import type { LoopCost } from '../../server/api/access/loop-share.ts'
import { addressKey, CLIENT_ADDRESS_HEADER } from '../../server/api/http/request-info.ts'
import { type AppError, isAppError } from '../../server/kernel/errors.ts'
import type { AppServices } from '../../server/wiring/build-services.ts'
import { sendError } from './send-error.ts'

/** Load balancers need responses while the service is busy. Without TRUST_PROXY, their probes share the clients' address. */
const HEALTH = /^\/api\/health\//
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
  inAddressTurn,
  loopShare,
  countCall,
}: Pick<AppServices, 'inAddressTurn' | 'loopShare' | 'countCall'>) {
  /** `pattern`: that of the route; undefined for requests that Next handles. */
  return async function admit(
    request: IncomingMessage,
    response: ServerResponse,
    { path, pattern }: { path: string; pattern: string | undefined },
    respond: (place: AddressPlace) => Promise<void>,
  ): Promise<void> {
    const kind = pattern === undefined ? 'page' : HEALTH.test(pattern) ? 'health' : 'address'
    const address = addressKey(String(request.headers[CLIENT_ADDRESS_HEADER]))
    const caller = `${kind}:${address}`
    const isFile = BUILD_FILES.test(path)
    const isIdentified = pattern !== undefined && IDENTIFIES_CALLERS.test(pattern)
    const gone = new AbortController()
    const leaveWaiting = () => gone.abort()
    response.once('close', leaveWaiting)

    let responded: Promise<void> | undefined
    const begin = (): Promise<void> | void => {
      response.off('close', leaveWaiting)
      if (response.destroyed) return
      if (isFile) {
        loopShare.charge(address, BUILD_FILE_MS)
        responded = respond({ leave() {}, end() {} })
        return
      }
      const use = loopShare.begin(address, LOOP_COST[kind])
      let isCounted = !isIdentified
      let isKnown = false
      const bytesBefore = request.socket.bytesWritten
      try {
        if (!isIdentified && kind !== 'health') countCall(caller)
        const { promise: left, resolve } = Promise.withResolvers<void>()
        const leave = (who?: 'unknown') => {
          isCounted = true
          if (who !== 'unknown') {
            isKnown = true
            use.end(true)
          }
          resolve()
        }
        const end = () => {
          resolve()
          if (isCounted) return
          isCounted = true
          countCall(caller)
        }
        responded = respond({ leave, end })
        const ended = () => {
          use.end(false)
          const bytes = request.socket.bytesWritten - bytesBefore
          if (!isKnown) loopShare.charge(address, bytes / BYTES_PER_MS)
          resolve()
        }
        responded.then(ended, ended)
        return left
      } catch (error) {
        use.end(false)
        throw error
      }
    }
    const beginInTurn = async () => {
      const turn = loopShare.turn(address)
      if (turn) await turn
      return begin()
    }
    try {
      await inAddressTurn(caller, beginInTurn, gone.signal)
    } catch (error) {
      response.off('close', leaveWaiting)
      if (response.destroyed) return
      if (!isAppError(error)) throw error
      // Rejected because the queue is full.
      if (kind === 'health') await begin()
      else if (kind === 'address') return sendError(response, error)
      else rejectPage(response, error)
    }
    return responded
  }
}

function rejectPage(response: ServerResponse, error: AppError): void {
  response.writeHead(429, {
    'retry-after': String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))),
    'cache-control': 'no-store',
    'content-type': 'text/plain',
  })
  response.end(error.publicMessage)
}
