import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { ready } from '../../../../server/api/http/health.ts'
import { serve } from '../../serve.ts'

export const GET = serve(ready)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
