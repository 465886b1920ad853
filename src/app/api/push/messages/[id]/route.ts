import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { cancelPushMessage, getPushMessage } from '../../../../../server/api/http/push-messages.ts'
import { serve } from '../../../serve.ts'

export const GET = serve(getPushMessage)
export const DELETE = serve(cancelPushMessage)
export const { POST, PUT, PATCH, OPTIONS } = allowOnly('GET', 'DELETE')
