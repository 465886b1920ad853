import { z } from 'zod'
import {
  broadcastDetailsOutput,
  broadcastsOutput,
  listBroadcastsInput,
} from '../../../domain/push/broadcasts/schema.ts'
import { adminFailuresOutput } from '../../../domain/push/messages/schema.ts'
import { pageInput } from '../../../kernel/page.ts'
import { adminOperation } from './admin-operation.ts'

const params = { id: z.string().meta({ description: 'ID from the send response or the list.' }) }

export const listBroadcasts = adminOperation({
  route: 'GET /api/admin/broadcasts',
  summary: 'Lists broadcasts and scheduled messages of all push tokens, newest first.',
  query: listBroadcastsInput,
  responses: { 200: { description: 'A page', schema: broadcastsOutput } },
  handle: (call) => call.services.push.messages.listBroadcasts(call.query()),
})

export const getBroadcast = adminOperation({
  route: 'GET /api/admin/broadcasts/{id}',
  summary: 'Returns a broadcast or scheduled message of any push token.',
  params,
  responses: { 200: { description: 'The broadcast', schema: broadcastDetailsOutput } },
  handle: (call) => call.services.push.messages.findBroadcast(call.params.id),
})

export const listBroadcastFailures = adminOperation({
  route: 'GET /api/admin/broadcasts/{id}/failures',
  summary: 'Lists devices that a message failed for: the first 10,000, kept for 7 days.',
  params,
  query: pageInput,
  responses: { 200: { description: 'A page', schema: adminFailuresOutput } },
  handle: (call) => call.services.push.messages.failuresWithUsers(call.params.id, call.query()),
})

export const cancelBroadcast = adminOperation({
  route: 'DELETE /api/admin/broadcasts/{id}',
  summary: 'Cancels what has not been handed to a gateway yet. Idempotent.',
  params,
  responses: { 204: { description: 'Nothing more will be sent. The status is now `cancelled`' } },
  errors: [409],
  handle: ({ services, params, caller: { actor, address } }) =>
    services.push.messages.cancel(params.id, { token: undefined, actor, address }),
})
