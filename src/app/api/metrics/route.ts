import { allowOnly } from '../../../server/api/http/allowed-methods.ts'
import { metrics } from '../../../server/api/http/metrics.ts'
import { serve } from '../serve.ts'

export const GET = serve(metrics)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
