import { sendPushAsAdmin } from '../../../../../../server/api/http/admin/push-tokens.ts'
import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../../serve.ts'

export const POST = serve(sendPushAsAdmin)
export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')
