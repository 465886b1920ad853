import { createWebhook, listWebhooks } from '../../../../server/api/http/admin/webhooks.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const GET = serve(listWebhooks)
export const POST = serve(createWebhook)
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
