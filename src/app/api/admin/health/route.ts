import { getHealth } from '../../../../server/api/http/admin/health.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const GET = serve(getHealth)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
