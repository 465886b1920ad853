import { createUserToken } from '../../../../server/api/http/admin/user-tokens.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const POST = serve(createUserToken)
export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')
