import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressKey, CLIENT_ADDRESS_HEADER } from '../../server/api/http/request-info.ts'
import { isAppError } from '../../server/kernel/errors.ts'
import type { AppServices } from '../../server/wiring/build-services.ts'
import { sendError } from './send-error.ts'

/** Probes of load balancers need responses while the service is busy. Without TRUST_PROXY, they share the clients' address. */
const HEALTH = /^\/api\/health\//
/** Routes that identify callers. A request leaves the queue once its caller is identified and counted. */
const IDENTIFIES_CALLERS = /^\/(api\/(trpc|push|admin|metrics)|files|s)(\/|$)/
/** Files of the build. They do not keep their place, because slow networks take seconds for them. */
const BUILD_FILES = /^\/_next\/static\//

/** A request's place in the queue of its address. */
export type AddressPlace = {
  /** Makes room for the address's next request. */
  leave(): void
  /** Leaves the queue if the request has not left. A caller that is unknown by now is counted by address. @throws AppError TOO_MANY_REQUESTS */
  end(): void
}

const NO_PLACE: AddressPlace = { leave() {}, end() {} }

/**
 * Queues requests by address before they cost anything. Each is counted: by address at the start of its turn, or by user
 * on routes that identify callers. Pages have a separate queue and count, because a page takes more CPU than most calls.
 */
export function createAddressQueue({
  inAddressTurn,
  countCall,
}: Pick<AppServices, 'inAddressTurn' | 'countCall'>) {
  /** `pattern`: of the route, undefined for what Next answers. */
  return async function admit(
    request: IncomingMessage,
    response: ServerResponse,
    { path, pattern }: { path: string; pattern: string | undefined },
    respond: (place: AddressPlace) => Promise<void>,
  ): Promise<void> {
    if (pattern !== undefined && HEALTH.test(pattern)) return respond(NO_PLACE)
    const kind = pattern === undefined ? 'page' : 'address'
    const caller = `${kind}:${addressKey(String(request.headers[CLIENT_ADDRESS_HEADER]))}`
    const gone = new AbortController()
    const leaveWaiting = () => gone.abort()
    response.once('close', leaveWaiting)

    let responded: Promise<void> | undefined
    const begin = (): Promise<void> | void => {
      response.off('close', leaveWaiting)
      if (response.destroyed) return
      const isFile = BUILD_FILES.test(path)
      const isIdentified = pattern !== undefined && IDENTIFIES_CALLERS.test(pattern)
      if (!isFile && !isIdentified) countCall(caller)
      const { promise: left, resolve } = Promise.withResolvers<void>()
      let isCounted = !isIdentified
      const leave = () => {
        isCounted = true
        resolve()
      }
      const end = () => {
        resolve()
        if (isCounted) return
        isCounted = true
        countCall(caller)
      }
      responded = respond({ leave, end })
      if (isFile) return
      responded.then(resolve, resolve)
      return left
    }
    try {
      await inAddressTurn(caller, async () => begin(), gone.signal)
    } catch (error) {
      response.off('close', leaveWaiting)
      if (response.destroyed) return
      if (!isAppError(error)) throw error
      if (kind === 'address') return sendError(response, error)
      response.writeHead(429, {
        'retry-after': String(Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))),
        'cache-control': 'no-store',
        'content-type': 'text/plain',
      })
      response.end(error.publicMessage)
    }
    return responded
  }
}
