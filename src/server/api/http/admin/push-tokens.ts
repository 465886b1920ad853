import { z } from 'zod'
import {
  createTokenInput,
  createTokenOutput,
  listAllTokensInput,
  listAllTokensOutput,
} from '../../../domain/push/tokens/schema.ts'
import { adminOperation, requireRecentAdmin } from './admin-operation.ts'

export const listAllPushTokens = adminOperation({
  route: 'GET /api/admin/push-tokens',
  summary: 'Lists the push tokens of all users or of one, newest first, without the raw tokens.',
  query: listAllTokensInput,
  responses: { 200: { description: 'A page', schema: listAllTokensOutput } },
  handle: (call) => call.services.push.tokens.listAll(call.query()),
})

/** Like `createPushToken`, and accepts administrators' sessions. */
export const createPushTokenAsAdmin = adminOperation({
  route: 'POST /api/admin/push-tokens',
  summary: 'Creates a push token. Only this response contains the raw token.',
  body: createTokenInput,
  responses: { 201: { description: 'The token', schema: createTokenOutput } },
  errors: [404],
  handle: async (call) => {
    requireRecentAdmin(call)
    return call.services.push.tokens.create(await call.body(), call.caller)
  },
})

export const revokePushTokenAsAdmin = adminOperation({
  route: 'DELETE /api/admin/push-tokens/{id}',
  summary: 'Revokes a push token and cancels its unsent messages. Idempotent.',
  params: { id: z.string().meta({ description: 'ID from creation or the list.' }) },
  responses: { 204: { description: 'Revoked' } },
  handle: ({ services, params, caller }) => services.push.tokens.revoke(params.id, caller),
})
