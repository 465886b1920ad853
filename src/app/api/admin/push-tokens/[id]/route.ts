import { revokePushTokenAsAdmin } from '../../../../../server/api/http/admin/push-tokens.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const DELETE = serve(revokePushTokenAsAdmin)
export const { GET, POST, PUT, PATCH, OPTIONS } = allowOnly('DELETE')
