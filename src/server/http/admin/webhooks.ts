import type { Services } from '../../container.ts'
import { parseInput } from '../../validation.ts'
import { createWebhookInput, listDeliveriesInput, updateWebhookInput } from '../../webhooks/schema.ts'
import { readJson } from '../body.ts'
import { adminEndpoint, queryOf } from './admin-endpoint.ts'

const EXAMPLE = { url: 'https://...', events: ['file.ready'] }

/** POST /api/admin/webhooks */
export function handleCreateWebhook(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => {
    const input = parseInput(createWebhookInput, await readJson(request, EXAMPLE))
    return { status: 201, body: await call.services.webhooks.create(input) }
  })
}

/** GET /api/admin/webhooks */
export function handleListWebhooks(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => ({
    status: 200,
    body: { items: await call.services.webhooks.list() },
  }))
}

/** GET /api/admin/webhooks/{id} */
export function handleWebhook(request: Request, services: Promise<Services>, id: string): Promise<Response> {
  return adminEndpoint(request, services, { subjectId: id }, async (call) => ({
    status: 200,
    body: await call.services.webhooks.find(id),
  }))
}

/** PATCH /api/admin/webhooks/{id} */
export function handleUpdateWebhook(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return adminEndpoint(request, services, { subjectId: id }, async (call) => {
    const input = parseInput(updateWebhookInput, await readJson(request, { active: true }))
    return { status: 200, body: await call.services.webhooks.update(id, input) }
  })
}

/** DELETE /api/admin/webhooks/{id} */
export function handleDeleteWebhook(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return adminEndpoint(request, services, { subjectId: id }, async (call) => {
    await call.services.webhooks.delete(id)
    return { status: 204 }
  })
}

/** GET /api/admin/webhooks/{id}/deliveries */
export function handleDeliveries(
  request: Request,
  services: Promise<Services>,
  id: string,
): Promise<Response> {
  return adminEndpoint(request, services, { subjectId: id }, async (call) => {
    const input = parseInput(listDeliveriesInput, queryOf(request))
    return { status: 200, body: await call.services.webhooks.deliveries(id, input) }
  })
}

/** POST /api/admin/webhooks/{id}/deliveries/{deliveryId}/redeliver */
export function handleRedeliver(
  request: Request,
  services: Promise<Services>,
  id: string,
  deliveryId: string,
): Promise<Response> {
  return adminEndpoint(request, services, { subjectId: deliveryId }, async (call) => ({
    status: 202,
    body: await call.services.webhooks.redeliver(id, deliveryId),
  }))
}
