import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { listPushMessages } from '../../../../server/api/http/push-messages.ts'
import { serve } from '../../serve.ts'

export const GET = serve(listPushMessages)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
