import { z } from 'zod'
import { failuresOutput, messageOutput, messagesOutput } from '../../domain/push/messages/schema.ts'
import { pageInput } from '../../kernel/page.ts'
import { bearerToken } from '../access/credentials.ts'
import type { Call } from './endpoint.ts'
import { operation } from './operation.ts'

const params = { id: z.string().meta({ description: 'ID from the send response.' }) }

/** Returns the push token of the request, or undefined for the admin secret. */
async function readerOf({ services, request, address, leaveQueue }: Call) {
  const token = await services.pushAccess.reader(bearerToken(request), address)
  leaveQueue()
  return token
}

export const getPushMessage = operation({
  route: 'GET /api/push/messages/{id}',
  summary: 'Returns the progress of a message.',
  credentials: ['pushToken', 'adminSecret'],
  params,
  responses: { 200: { description: 'The message', schema: messageOutput } },
  handle: async (call) => call.services.push.messages.find(call.params.id, await readerOf(call)),
})

export const listPushMessages = operation({
  route: 'GET /api/push/messages',
  summary: 'Lists messages that the push token sent, newest first.',
  credentials: ['pushToken'],
  query: pageInput,
  responses: { 200: { description: 'A page', schema: messagesOutput } },
  handle: async (call) => {
    const { push, pushAccess } = call.services
    const token = await pushAccess.sender(bearerToken(call.request), call.address)
    call.leaveQueue()
    return push.messages.list(token, call.query())
  },
})

export const listPushFailures = operation({
  route: 'GET /api/push/messages/{id}/failures',
  summary: 'Lists devices that a message failed for: the first 10,000, kept for 7 days.',
  credentials: ['pushToken', 'adminSecret'],
  params,
  query: pageInput,
  responses: { 200: { description: 'A page', schema: failuresOutput } },
  handle: async (call) => {
    const token = await readerOf(call)
    return call.services.push.messages.failures(call.params.id, token, call.query())
  },
})

export const cancelPushMessage = operation({
  route: 'DELETE /api/push/messages/{id}',
  summary: 'Cancels what has not been handed to a gateway yet. Idempotent.',
  credentials: ['pushToken', 'adminSecret'],
  params,
  responses: { 204: { description: 'Nothing more will be sent. The status is now `cancelled`' } },
  errors: [409],
  handle: async (call) => {
    const token = await readerOf(call)
    await call.services.push.messages.cancel(call.params.id, { token, address: call.address })
  },
})
