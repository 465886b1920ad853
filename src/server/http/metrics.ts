import type { Services } from '../container.ts'
import { bearerToken } from './authentication/bearer-token.ts'
import { endpoint } from './endpoint.ts'

/** GET /api/metrics: Prometheus' text format, for METRICS_TOKEN or, if that is not set, the admin secret. */
export async function handleMetrics(request: Request, services: Promise<Services>): Promise<Response> {
  const { metrics } = await services
  let text = ''
  const answer = await endpoint(request, services, async ({ services: { metricsGate }, address }) => {
    await metricsGate(bearerToken(request), address)
    text = await metrics.text()
    return { status: 200 }
  })
  if (answer.status !== 200) return answer
  return new Response(text, { headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' } })
}
