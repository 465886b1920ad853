import { z } from 'zod'
import { readiness } from './admin/health-output.ts'
import { jsonResponse } from './json-response.ts'
import { describe, operation } from './operation.ts'

const readinessOutput = readiness.meta({
  id: 'Readiness',
  examples: [
    { status: 'ready', checks: { database: 'ok', objectStore: 'failed' }, degraded: ['objectStore'] },
    { status: 'unavailable', checks: { database: 'failed', objectStore: 'ok' }, degraded: [] },
  ],
})
const response = { description: 'JSON', schema: readinessOutput }

const liveness = z.object({ status: z.literal('live') }).meta({ examples: [{ status: 'live' }] })

/** Does not wait for the services: it only shows that the process responds. */
export const live = describe({
  route: 'GET /api/health/live',
  summary: 'Reports that the process is alive.',
  credentials: [],
  responses: { 200: { description: 'JSON', schema: liveness } },
  handle: async () => jsonResponse({ status: 'live' }, { headers: { 'cache-control': 'no-store' } }),
})

/** 503 without the database or while draining; an unavailable store or gateway is `degraded`. */
export const ready = operation({
  route: 'GET /api/health/ready',
  summary:
    'Reports whether this replica can serve requests. Lists optional services as degraded while they are unavailable.',
  credentials: [],
  responses: { 200: response, 503: response },
  handle: async ({ services }) => {
    const body = await services.health.ready()
    return { status: body.status === 'ready' ? 200 : 503, body }
  },
})
