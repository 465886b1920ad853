import { handleDeleteUser, handleUpdateUser, handleUser } from '../../../../../server/http/admin/users.ts'
import { allowOnly } from '../../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../../server/services.ts'

type Context = { params: Promise<{ id: string }> }

export async function GET(request: Request, { params }: Context) {
  return handleUser(request, getServices(), (await params).id)
}

export async function PATCH(request: Request, { params }: Context) {
  return handleUpdateUser(request, getServices(), (await params).id)
}

export async function DELETE(request: Request, { params }: Context) {
  return handleDeleteUser(request, getServices(), (await params).id)
}

export const { POST, PUT, OPTIONS } = allowOnly('GET', 'PATCH', 'DELETE')
