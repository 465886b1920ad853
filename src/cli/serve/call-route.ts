import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RouteMatch } from './api-routes.ts'
import { IncomingRequest } from './incoming-request.ts'
import { sendResponse } from './send-response.ts'

/** Answers with what the route's `route.ts` exports for the method; HEAD is GET without the body. */
export async function callRoute(
  { handlers, params }: RouteMatch,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  origin: string,
): Promise<void> {
  const method = incoming.method!
  const handler = handlers[method === 'HEAD' ? 'GET' : method]!
  // 'close' reports broken connections; an 'error' without a listener could end the process.
  incoming.on('error', noop)
  outgoing.on('error', noop)
  const request = new IncomingRequest(incoming, outgoing, origin)
  await sendResponse(await handler(request, { params: Promise.resolve(params) }), outgoing)
}

function noop(): void {}
