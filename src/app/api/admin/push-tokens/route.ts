import { createPushTokenAsAdmin, listAllPushTokens } from '../../../../server/api/http/admin/push-tokens.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const GET = serve(listAllPushTokens)
export const POST = serve(createPushTokenAsAdmin)
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
