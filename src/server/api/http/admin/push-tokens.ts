import { z } from 'zod'
import { sendInput } from '../../../domain/push/messages/schema.ts'
import {
  createTokenInput,
  createTokenOutput,
  listAllTokensInput,
  listAllTokensOutput,
} from '../../../domain/push/tokens/schema.ts'
import { sendHeaders, sendResponses, sendWithToken } from '../send-with-token.ts'
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

/** Like `sendPush`. The sign-in must be recent, because this needs no raw token. */
export const sendPushAsAdmin = adminOperation({
  route: 'POST /api/admin/push-tokens/{id}/send',
  summary: "Sends a push with one of the administrator's own push tokens, as `POST /api/push/send` does.",
  params: { id: z.string().meta({ description: 'ID of a push token that the administrator owns.' }) },
  headers: sendHeaders,
  body: sendInput,
  responses: sendResponses,
  errors: [404, 409],
  // Recipients are counted.
  typed: ({ body }) => body.status === 'dry-run',
  handle: async (call) => {
    const { params, caller, services } = call
    const token = await services.push.tokens.authenticateOwner(params.id, caller.userId)
    return sendWithToken(call, { ...token, actor: caller.actor }, ({ dryRun }) => {
      if (!dryRun) requireRecentAdmin(call)
    })
  },
})

export const revokePushTokenAsAdmin = adminOperation({
  route: 'DELETE /api/admin/push-tokens/{id}',
  summary: 'Revokes a push token and cancels its unsent messages. Idempotent.',
  params: { id: z.string().meta({ description: 'ID from creation or the list.' }) },
  responses: { 204: { description: 'Revoked' } },
  handle: ({ services, params, caller }) => services.push.tokens.revoke(params.id, caller),
})
