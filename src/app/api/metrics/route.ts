import { getServices } from '../../../server/container.ts'
import { allowOnly } from '../../../server/http/allowed-methods.ts'
import { handleMetrics } from '../../../server/http/metrics.ts'

export const GET = (request: Request) => handleMetrics(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
