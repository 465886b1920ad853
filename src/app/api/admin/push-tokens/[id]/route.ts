import { handleRevokePushToken } from '../../../../../server/http/admin/push-tokens.ts'
import { allowOnly } from '../../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../../server/services.ts'

type Context = { params: Promise<{ id: string }> }

export async function DELETE(request: Request, { params }: Context) {
  return handleRevokePushToken(request, getServices(), (await params).id)
}

export const { GET, POST, PUT, PATCH, OPTIONS } = allowOnly('DELETE')
