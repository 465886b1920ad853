import type { IncomingMessage, ServerResponse } from 'node:http'
import { addressKey } from '../../server/http/address-key.ts'
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from '../../server/http/request-info.ts'
import type { RouteMatch } from './api-routes.ts'
import { IncomingRequest } from './incoming-request.ts'
import { sendResponse } from './send-response.ts'
import { createUnreadAnswers } from './unread-answers.ts'

const unread = createUnreadAnswers()

/** Answers with what the route's `route.ts` exports for the method; HEAD is GET without the body. */
export async function callRoute(
  { pattern, handlers, params }: RouteMatch,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  origin: string,
): Promise<void> {
  const method = incoming.method!
  const handler = handlers[method === 'HEAD' ? 'GET' : method]!
  // 'close' reports broken connections; an 'error' without a listener could end the process.
  incoming.on('error', noop)
  outgoing.on('error', noop)
  const address = addressKey(String(incoming.headers[CLIENT_ADDRESS_HEADER]))
  // Without TRUST_PROXY a load balancer asks from the address that all clients share.
  if (unread.isFull(address) && !pattern.startsWith('/api/health/')) {
    rejectUnread(outgoing)
    return
  }
  const request = new IncomingRequest(incoming, outgoing, origin)
  await sendResponse(await handler(request, { params: Promise.resolve(params) }), outgoing)
  unread.add(address, outgoing)
}

function rejectUnread(outgoing: ServerResponse): void {
  const code = 'TOO_MANY_REQUESTS'
  const message = 'Your address has 32 MB of answers that nobody has read. Read them, then go on.'
  const requestId = outgoing.req.headers[REQUEST_ID_HEADER]
  const headers = { 'retry-after': '1', 'content-type': 'application/json', 'cache-control': 'no-store' }
  outgoing.writeHead(429, headers)
  outgoing.end(JSON.stringify({ error: { code, message }, requestId }))
}

function noop(): void {}
