import { z } from 'zod'
import * as schema from '../../../domain/webhooks/schema.ts'
import { adminOperation, requireRecentAdmin } from './admin-operation.ts'

const params = { id: z.string().meta({ description: 'ID from creation or the list.' }) }
const webhook = { description: 'The webhook', schema: schema.webhookOutput }

export const createWebhook = adminOperation({
  route: 'POST /api/admin/webhooks',
  summary: 'Subscribes a URL to events. Only this response contains the secret.',
  body: schema.createWebhookInput,
  responses: { 201: { description: 'The webhook', schema: schema.createWebhookOutput } },
  errors: [409],
  handle: async (call) => {
    requireRecentAdmin(call)
    return call.services.webhooks.create(await call.body())
  },
})

export const listWebhooks = adminOperation({
  route: 'GET /api/admin/webhooks',
  summary: 'Lists all webhooks, without their secrets.',
  responses: { 200: { description: 'The webhooks', schema: schema.listWebhooksOutput } },
  handle: async (call) => ({ items: await call.services.webhooks.list() }),
})

export const getWebhook = adminOperation({
  route: 'GET /api/admin/webhooks/{id}',
  summary: 'Returns a webhook.',
  params,
  responses: { 200: webhook },
  handle: (call) => call.services.webhooks.find(call.params.id),
})

export const updateWebhook = adminOperation({
  route: 'PATCH /api/admin/webhooks/{id}',
  summary: 'Changes a webhook. Activating it also resumes delivery after a 410.',
  params,
  body: schema.updateWebhookInput,
  responses: { 200: webhook },
  handle: async (call) => {
    const change = await call.body()
    if (change.url !== undefined) requireRecentAdmin(call)
    return call.services.webhooks.update(call.params.id, change, call.caller)
  },
})

export const deleteWebhook = adminOperation({
  route: 'DELETE /api/admin/webhooks/{id}',
  summary: 'Deletes a webhook and its pending deliveries.',
  params,
  responses: { 204: { description: 'Deleted' } },
  handle: (call) => call.services.webhooks.delete(call.params.id),
})

export const listWebhookDeliveries = adminOperation({
  route: 'GET /api/admin/webhooks/{id}/deliveries',
  summary: 'Lists the deliveries of a webhook, newest first.',
  params,
  query: schema.listDeliveriesInput,
  responses: { 200: { description: 'A page', schema: schema.listDeliveriesOutput } },
  handle: (call) => call.services.webhooks.deliveries(call.params.id, call.query()),
})

export const testWebhook = adminOperation({
  route: 'POST /api/admin/webhooks/{id}/test',
  summary: 'Sends the event `webhook.test` to a webhook, signed and retried like any other.',
  params,
  responses: { 202: { description: 'The delivery is due now', schema: schema.deliveryOutput } },
  errors: [409],
  handle: ({ services, params }) => services.webhooks.sendTest(params.id),
})

export const redeliverWebhook = adminOperation({
  route: 'POST /api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver',
  summary: 'Delivers an event again with the same ID.',
  params: {
    ...params,
    deliveryId: z.string().meta({ description: 'ID of the delivery: its webhook-id.' }),
  },
  responses: { 202: { description: 'The delivery is due now', schema: schema.deliveryOutput } },
  errors: [409],
  target: ({ deliveryId }) => ({ subjectId: deliveryId }),
  handle: ({ services, params }) => services.webhooks.redeliver(params.id, params.deliveryId),
})
