import { listWebhookDeliveries } from '../../../../../../server/api/http/admin/webhooks.ts'
import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../../serve.ts'

export const GET = serve(listWebhookDeliveries)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
