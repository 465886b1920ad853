import type { Services } from '../container.ts'

/** 200 if database and object store can be reached, else 503; the body says which cannot. */
export async function handleReady(services: Promise<Services>): Promise<Response> {
  const readiness = await (await services).health.ready()
  return Response.json(readiness, {
    status: readiness.status === 'ready' ? 200 : 503,
    headers: { 'cache-control': 'no-store' },
  })
}
