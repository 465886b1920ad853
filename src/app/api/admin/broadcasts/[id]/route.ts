import { cancelBroadcast, getBroadcast } from '../../../../../server/api/http/admin/broadcasts.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const GET = serve(getBroadcast)
export const DELETE = serve(cancelBroadcast)
export const { POST, PUT, PATCH, OPTIONS } = allowOnly('GET', 'DELETE')
