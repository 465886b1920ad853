import { handleCancelBroadcast } from '../../../../../server/http/admin/broadcasts.ts'
import { allowOnly } from '../../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../../server/services.ts'

type Context = { params: Promise<{ id: string }> }

export async function DELETE(request: Request, { params }: Context) {
  return handleCancelBroadcast(request, getServices(), (await params).id)
}

export const { GET, POST, PUT, PATCH, OPTIONS } = allowOnly('DELETE')
