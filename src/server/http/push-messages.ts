import type { Services } from '../container.ts'
import { bearerToken } from './authentication/bearer-token.ts'
import { endpoint } from './endpoint.ts'

/** GET /api/push/messages/{id} */
export function handleMessage(request: Request, services: Promise<Services>, id: string): Promise<Response> {
  return endpoint(request, services, async ({ services: { push, pushAccess }, address }) => {
    const pushTokenId = await pushAccess.reader(bearerToken(request), address)
    return { status: 200, body: await push.messages.find(id, pushTokenId) }
  })
}
