import { addressKey } from '../auth/address-key.ts'
import type { Services } from '../container.ts'
import { bearer, endpoint } from './endpoint.ts'

/** GET /api/push/messages/{id} */
export function handleMessage(request: Request, services: Promise<Services>, id: string): Promise<Response> {
  return endpoint(request, services, async ({ services: { push, pushAccess }, address }) => {
    const pushTokenId = await pushAccess.reader(bearer(request), addressKey(address))
    return { status: 200, body: await push.messages.find(id, pushTokenId) }
  })
}
