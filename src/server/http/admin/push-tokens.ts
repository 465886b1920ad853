import type { Services } from '../../container.ts'
import { createTokenInput, listAllTokensInput } from '../../push/schema.ts'
import { parseInput } from '../../validation.ts'
import { readJson } from '../body.ts'
import { type AdminCall, adminEndpoint, queryOf } from './admin-endpoint.ts'

const EXAMPLE = { userId: '...', name: 'nightly build' }

const by = ({ admin, address }: AdminCall) => ({ actor: admin.actor, address })

/** GET /api/admin/push-tokens */
export function handleListPushTokens(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => {
    const input = parseInput(listAllTokensInput, queryOf(request))
    return { status: 200, body: await call.services.push.tokens.listAll(input) }
  })
}

/** POST /api/admin/push-tokens: as POST /api/push/token, for administrators' sessions too. */
export function handleCreatePushToken(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => {
    const input = parseInput(createTokenInput, await readJson(request, EXAMPLE))
    return { status: 201, body: await call.services.push.tokens.create(input, by(call)) }
  })
}

/** DELETE /api/admin/push-tokens/{id}: revokes it; idempotent. */
export function handleRevokePushToken(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return adminEndpoint(request, services, { subjectId: id }, async (call) => {
    await call.services.push.tokens.revoke(id, by(call))
    return { status: 204 }
  })
}
