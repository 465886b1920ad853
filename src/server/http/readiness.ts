import type { Services } from '../container.ts'

/** GET /api/health/ready: 200 if the database and the object store answer, else 503; the body says which does not. */
export async function handleReadiness(services: Promise<Services>): Promise<Response> {
  const readiness = await (await services).health.ready()
  return Response.json(readiness, {
    status: readiness.status === 'ready' ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
  })
}
