import { createUserTokenInput, createUserTokenOutput } from '../../../domain/accounts/user-token-schema.ts'
import { adminOperation } from './admin-operation.ts'

export const createUserToken = adminOperation({
  route: 'POST /api/admin/user-tokens',
  scope: 'user-tokens:create',
  summary: "Creates a short-lived credential for a user of an app's backend.",
  body: createUserTokenInput,
  responses: { 201: { description: 'The token', schema: createUserTokenOutput } },
  errors: [404, 409],
  frequent: true,
  handle: async (call) => call.services.userTokens.mint(await call.body(), call.caller),
})
