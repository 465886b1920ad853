import { handleCreateWebhook, handleListWebhooks } from '../../../../server/http/admin/webhooks.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleListWebhooks(request, getServices())
export const POST = (request: Request) => handleCreateWebhook(request, getServices())
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
