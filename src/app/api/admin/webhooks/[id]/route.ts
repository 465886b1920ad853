import { deleteWebhook, getWebhook, updateWebhook } from '../../../../../server/api/http/admin/webhooks.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const GET = serve(getWebhook)
export const PATCH = serve(updateWebhook)
export const DELETE = serve(deleteWebhook)
export const { POST, PUT, OPTIONS } = allowOnly('GET', 'PATCH', 'DELETE')
