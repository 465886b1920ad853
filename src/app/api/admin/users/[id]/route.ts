import { deleteUser, getUser, updateUser } from '../../../../../server/api/http/admin/users.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const GET = serve(getUser)
export const PATCH = serve(updateUser)
export const DELETE = serve(deleteUser)
export const { POST, PUT, OPTIONS } = allowOnly('GET', 'PATCH', 'DELETE')
