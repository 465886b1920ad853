import { z } from 'zod'
import { createTokenInput, createTokenOutput, listTokensOutput } from '../../domain/push/tokens/schema.ts'
import { ADMIN_ACTOR } from '../../kernel/audit.ts'
import { bearerToken } from '../access/credentials.ts'
import type { Call } from './endpoint.ts'
import { operation } from './operation.ts'

async function requireAdmin({ services, request, address, leaveQueue }: Call): Promise<void> {
  await services.pushAccess.admin(bearerToken(request), address)
  leaveQueue()
}

const adminActor = ({ address }: Call) => ({ actor: ADMIN_ACTOR, address })

export const createPushToken = operation({
  route: 'POST /api/push/token',
  summary: 'Creates a push token. Only this response contains the raw token.',
  credentials: ['adminSecret'],
  body: createTokenInput,
  responses: { 200: { description: 'The token', schema: createTokenOutput } },
  errors: [404],
  handle: async (call) => {
    await requireAdmin(call)
    return call.services.push.tokens.create(await call.body(), adminActor(call))
  },
})

const MISSING = 'is missing. Send the ID of the user whose tokens you want to list'

export const listPushTokens = operation({
  route: 'GET /api/push/token',
  summary: "Lists a user's push tokens, newest first, without the raw tokens.",
  credentials: ['adminSecret'],
  query: z.object({ userId: z.string(MISSING).min(1, MISSING) }),
  responses: { 200: { description: 'The tokens', schema: listTokensOutput } },
  handle: async (call) => {
    await requireAdmin(call)
    const tokens = await call.services.push.tokens.list(call.query().userId)
    return { items: tokens.map(({ suffix, ...token }) => token) }
  },
})

export const revokePushToken = operation({
  route: 'DELETE /api/push/token/{id}',
  summary: 'Revokes a push token. Idempotent.',
  credentials: ['adminSecret'],
  params: { id: z.string().meta({ description: 'ID from creation or the list.' }) },
  responses: { 204: { description: 'Revoked' } },
  handle: async (call) => {
    await requireAdmin(call)
    await call.services.push.tokens.revoke(call.params.id, adminActor(call))
  },
})
