import { getServices } from '../../../server/container.ts'
import { handleMetrics } from '../../../server/http/metrics.ts'

export const GET = (request: Request) => handleMetrics(request, getServices())
