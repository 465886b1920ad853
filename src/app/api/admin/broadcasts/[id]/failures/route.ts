import { listBroadcastFailures } from '../../../../../../server/api/http/admin/broadcasts.ts'
import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../../serve.ts'

export const GET = serve(listBroadcastFailures)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
