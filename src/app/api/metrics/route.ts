import { allowOnly } from '../../../server/http/allowed-methods.ts'
import { handleMetrics } from '../../../server/http/metrics.ts'
import { getServices } from '../../../server/services.ts'

export const GET = (request: Request) => handleMetrics(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
