import { handleCreateUser, handleListUsers } from '../../../../server/http/admin/users.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleListUsers(request, getServices())
export const POST = (request: Request) => handleCreateUser(request, getServices())
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
