import { createUser, listUsers } from '../../../../server/api/http/admin/users.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const GET = serve(listUsers)
export const POST = serve(createUser)
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
