import type { Services } from '../../container.ts'
import { pageInput } from '../../push/schema.ts'
import { parseInput } from '../../validation.ts'
import { adminEndpoint, queryOf } from './admin-endpoint.ts'

/** GET /api/admin/broadcasts */
export function handleListBroadcasts(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => ({
    status: 200,
    body: await call.services.push.messages.listBroadcasts(parseInput(pageInput, queryOf(request))),
  }))
}

/** DELETE /api/admin/broadcasts/{id}: cancels what has not been handed to a gateway; idempotent. */
export function handleCancelBroadcast(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return adminEndpoint(request, services, { subjectId: id }, async ({ services, admin, address }) => {
    await services.push.messages.cancel(id, { token: undefined, actor: admin.actor, address })
    return { status: 204 }
  })
}
