import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { revokePushToken } from '../../../../../server/api/http/push-tokens.ts'
import { serve } from '../../../serve.ts'

export const DELETE = serve(revokePushToken)
export const { GET, POST, PUT, PATCH, OPTIONS } = allowOnly('DELETE')
