import type { IncomingMessage, ServerResponse } from 'node:http'
import { NodeRequest } from 'srvx/node'
import { setAddressPlace } from '../../server/api/access/address-place.ts'
import { type AppError, isAppError } from '../../server/kernel/errors.ts'
import type { AddressPlace } from './address-queue.ts'
import type { RouteMatch } from './api-routes.ts'
import { sendError } from './send-error.ts'
import { sendResponse } from './send-response.ts'
import { unread, unreadRejection } from './unread-responses.ts'

type Caller = {
  /** Key by which limits count the client's address. */
  address: string
  place?: AddressPlace
}

/**
 * Responds with the route's handler for the method. HEAD uses GET, without the body. `incoming` must have passed
 * `sanitizeRequest`.
 */
export async function callRoute(
  { pattern, handlers, params }: RouteMatch,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { address, place }: Caller,
): Promise<void> {
  const method = incoming.method!
  const handler = handlers[method === 'HEAD' ? 'GET' : method]!
  const hasBody = method !== 'GET' && method !== 'HEAD'
  // 'close' reports broken connections. An 'error' without a listener could end the process. Node emits one on a request
  // only if somebody listens, as readers of a body do.
  if (hasBody) incoming.on('error', noop)
  outgoing.on('error', noop)
  // Without TRUST_PROXY, health checks of a load balancer come from the address that all clients share.
  if (unread.isFull(address) && !pattern.startsWith('/api/health/')) {
    await sendError(outgoing, unreadRejection())
    return
  }
  // `sanitizeRequest` sets X-Forwarded-Host and -Proto, so `trustProxy` makes the URL's origin the configured one.
  const request = new RouteRequest({ req: incoming, res: outgoing, trustProxy: true })
  if (hasBody) outgoing.once('finish', () => discardRest(request))
  if (place) setAddressPlace(request, place)
  const response = await handler(request, params)
  const rejection = place && rejectionOf(place)
  // A call that has changed something keeps its response.
  if (rejection && response.status >= 400 && response.status !== 429) {
    await response.body?.cancel()
    await sendError(outgoing, rejection)
    return
  }
  const sending = sendResponse(response, outgoing)
  if (sending) await sending
  unread.add(address, outgoing)
}

function rejectionOf(place: AddressPlace): AppError | undefined {
  try {
    place.end()
  } catch (error) {
    if (isAppError(error)) return error
    throw error
  }
}

/** Removes the byte order mark, which srvx keeps, from text and JSON. */
class RouteRequest extends NodeRequest {
  override async text(): Promise<string> {
    return (await super.text()).replace(/^\uFEFF/, '')
  }

  override async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

/** Reads the rest of a body, which the connection's next request waits for. Node discards bodies that were never read. */
function discardRest(request: Request): void {
  if (request.bodyUsed) request.body?.pipeTo(new WritableStream()).catch(noop)
}

function noop(): void {}
