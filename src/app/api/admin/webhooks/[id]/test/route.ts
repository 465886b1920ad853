import { testWebhook } from '../../../../../../server/api/http/admin/webhooks.ts'
import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../../serve.ts'

export const POST = serve(testWebhook)
export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')
