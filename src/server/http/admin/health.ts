import { z } from 'zod'
import type { Services } from '../../container.ts'
import { platform } from '../../push/schema.ts'
import { parseInput } from '../../validation.ts'
import { adminEndpoint, queryOf } from './admin-endpoint.ts'

const noInput = z.strictObject({})

/** GET /api/admin/health. */
export const healthOutput = z.object({
  status: z.enum(['ready', 'unavailable', 'draining']),
  /** What this replica needs or uses: `database`, `objectStore` and each gateway that is configured. */
  checks: z.record(z.string(), z.enum(['ok', 'failed'])),
  degraded: z.array(z.string()),
  gateways: z.array(
    z.object({
      platform,
      configured: z.boolean(),
      /** Where suspect devices are not disabled at the moment: our own configuration is the likely cause. */
      openCircuitBreakers: z.array(z.string()),
    }),
  ),
  /** Chunks of broadcasts: due now, in work, waiting for a retry; and scheduled messages. */
  queue: z.object({ due: z.number(), leased: z.number(), waiting: z.number(), scheduled: z.number() }),
  /** Deliveries of webhooks that are not delivered yet. */
  webhooks: z.object({ pending: z.number(), failing: z.number() }),
})

/** GET /api/admin/health: how the replica that answers is. */
export function handleHealth(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => ({
    status: 200,
    body: await call.services.deploymentState(),
  }))
}

/** GET /api/admin/doctor: what doctor finds without writing anything or sending a push. */
export function handleQuickDoctor(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => {
    parseInput(noInput, queryOf(request))
    return { status: 200, body: await call.services.doctor.quick() }
  })
}

/** POST /api/admin/doctor: all that doctor tries. */
export function handleDoctor(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => {
    parseInput(noInput, queryOf(request))
    return { status: 200, body: await call.services.doctor.full() }
  })
}
