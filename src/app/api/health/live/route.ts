import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { live } from '../../../../server/api/http/health.ts'
import { serve } from '../../serve.ts'

export const GET = serve(live)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
