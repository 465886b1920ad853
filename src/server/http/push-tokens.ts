import { ADMIN_ACTOR } from '../audit.ts'
import type { Services } from '../container.ts'
import { AppError } from '../errors.ts'
import { createTokenInput } from '../push/schema.ts'
import { parseInput } from '../validation.ts'
import { bearerToken } from './authentication/bearer-token.ts'
import { readJson } from './body.ts'
import { type Call, endpoint } from './endpoint.ts'

const EXAMPLE = { userId: '...', name: 'nightly build' }

const requireAdmin = ({ services, request, address }: Call) =>
  services.pushAccess.admin(bearerToken(request), address)

/** Whoever knows the admin secret. */
const by = ({ address }: Call) => ({ actor: ADMIN_ACTOR, address })

/** POST /api/push/token */
export function handleCreateToken(request: Request, services: Promise<Services>): Promise<Response> {
  return endpoint(request, services, async (call) => {
    await requireAdmin(call)
    const input = parseInput(createTokenInput, await readJson(request, EXAMPLE))
    return { status: 200, body: await call.services.push.tokens.create(input, by(call)) }
  })
}

/** GET /api/push/token?userId= */
export function handleListTokens(request: Request, services: Promise<Services>): Promise<Response> {
  return endpoint(request, services, async (call) => {
    await requireAdmin(call)
    const userId = new URL(request.url).searchParams.get('userId')
    if (!userId)
      throw new AppError('BAD_REQUEST', 'Give the user whose tokens to list: /api/push/token?userId=...', {
        fieldErrors: { userId: ['is missing'] },
      })
    return { status: 200, body: { items: await call.services.push.tokens.list(userId) } }
  })
}

/** DELETE /api/push/token/{id}: revokes it; idempotent. */
export function handleRevokeToken(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return endpoint(request, services, async (call) => {
    await requireAdmin(call)
    await call.services.push.tokens.revoke(id, by(call))
    return { status: 204 }
  })
}
