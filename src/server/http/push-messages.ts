import type { Services } from '../container.ts'
import { type PageInput, pageInput } from '../push/schema.ts'
import { parseInput } from '../validation.ts'
import { bearerToken } from './authentication/bearer-token.ts'
import { type Call, endpoint } from './endpoint.ts'

/** The push token of the request, or undefined for the administrator. */
const readerOf = ({ services, request, address }: Call) =>
  services.pushAccess.reader(bearerToken(request), address)

/** GET /api/push/messages/{id} */
export function handleMessage(request: Request, services: Promise<Services>, id: string): Promise<Response> {
  return endpoint(request, services, async (call) => {
    const token = await readerOf(call)
    return { status: 200, body: await call.services.push.messages.find(id, token) }
  })
}

/** GET /api/push/messages: what the push token has sent. */
export function handleMessages(request: Request, services: Promise<Services>): Promise<Response> {
  return endpoint(request, services, async ({ services: { push, pushAccess }, address }) => {
    const token = await pushAccess.sender(bearerToken(request), address)
    return { status: 200, body: await push.messages.list(token, pageOf(request)) }
  })
}

/** GET /api/push/messages/{id}/failures */
export function handleFailures(request: Request, services: Promise<Services>, id: string): Promise<Response> {
  return endpoint(request, services, async (call) => {
    const token = await readerOf(call)
    return { status: 200, body: await call.services.push.messages.failures(id, token, pageOf(request)) }
  })
}

const pageOf = (request: Request): PageInput =>
  parseInput(pageInput, Object.fromEntries(new URL(request.url).searchParams))

/** DELETE /api/push/messages/{id}: cancels what has not been handed to a gateway; idempotent. */
export function handleCancel(request: Request, services: Promise<Services>, id: string): Promise<Response> {
  return endpoint(request, services, async (call) => {
    const token = await readerOf(call)
    await call.services.push.messages.cancel(id, { token, address: call.address })
    return { status: 204 }
  })
}
