import { z } from 'zod'
import * as schema from '../../../domain/accounts/server-key-schema.ts'
import { adminOperation } from './admin-operation.ts'

export const createServerKey = adminOperation({
  route: 'POST /api/admin/server-keys',
  summary: "Creates a server key for an app's backend. Only this response contains it.",
  body: schema.createServerKeyInput,
  responses: { 201: { description: 'The key', schema: schema.createServerKeyOutput } },
  errors: [409],
  handle: async (call) => call.services.serverKeys.create(await call.body(), call.caller),
})

export const listServerKeys = adminOperation({
  route: 'GET /api/admin/server-keys',
  summary: 'Lists all server keys, newest first, without the raw keys.',
  responses: { 200: { description: 'The keys', schema: schema.serverKeysOutput } },
  handle: (call) => call.services.serverKeys.list(),
})

export const revokeServerKey = adminOperation({
  route: 'DELETE /api/admin/server-keys/{id}',
  summary: 'Revokes a server key.',
  params: { id: z.string().meta({ description: 'ID from creation or the list.' }) },
  responses: { 204: { description: 'Revoked' } },
  handle: ({ services, params, caller }) => services.serverKeys.revoke(params.id, caller),
})
