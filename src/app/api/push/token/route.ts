import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { createPushToken, listPushTokens } from '../../../../server/api/http/push-tokens.ts'
import { serve } from '../../serve.ts'

export const GET = serve(listPushTokens)
export const POST = serve(createPushToken)
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
