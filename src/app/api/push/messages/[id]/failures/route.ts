import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { listPushFailures } from '../../../../../../server/api/http/push-messages.ts'
import { serve } from '../../../../serve.ts'

export const GET = serve(listPushFailures)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
