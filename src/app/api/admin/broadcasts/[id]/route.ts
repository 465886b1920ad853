import { cancelBroadcast } from '../../../../../server/api/http/admin/broadcasts.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const DELETE = serve(cancelBroadcast)
export const { GET, POST, PUT, PATCH, OPTIONS } = allowOnly('DELETE')
