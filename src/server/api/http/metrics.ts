import { z } from 'zod'
import { bearerToken } from '../access/credentials.ts'
import { endpoint } from './endpoint.ts'
import { describe } from './operation.ts'

/** Accepts METRICS_TOKEN or, if that is not set, the admin secret. */
export const metrics = describe({
  route: 'GET /api/metrics',
  summary: "Returns metrics in Prometheus's text format.",
  credentials: ['metricsToken'],
  responses: { 200: { description: 'Metrics', schema: z.string(), type: 'text/plain' } },
  handle: (request, services) =>
    endpoint(request, services, async ({ services: { metrics, metricsGate }, address, leaveQueue }) => {
      await metricsGate(bearerToken(request), address)
      leaveQueue()
      return { status: 200, content: { type: metrics.contentType, data: await metrics.text() } }
    }),
})
