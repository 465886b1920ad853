import { signOutUser } from '../../../../../../server/api/http/admin/users.ts'
import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../../serve.ts'

export const POST = serve(signOutUser)
export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')
