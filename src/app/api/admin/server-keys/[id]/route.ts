import { revokeServerKey } from '../../../../../server/api/http/admin/server-keys.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const DELETE = serve(revokeServerKey)
export const { GET, POST, PUT, PATCH, OPTIONS } = allowOnly('DELETE')
