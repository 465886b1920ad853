import type { Services } from '../container.ts'

/** GET /api/health/ready: 503 without the database or while draining; an unavailable store or gateway is `degraded`. */
export async function handleReadiness(services: Promise<Services>): Promise<Response> {
  const readiness = await (await services).health.ready()
  return Response.json(readiness, {
    status: readiness.status === 'ready' ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
  })
}
