import { allowOnly } from '../../../../../server/http/allowed-methods.ts'
import { handleRevokeToken } from '../../../../../server/http/push-tokens.ts'
import { getServices } from '../../../../../server/services.ts'

export async function DELETE(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return handleRevokeToken(request, getServices(), (await params).id)
}

export const { GET, POST, PUT, PATCH, OPTIONS } = allowOnly('DELETE')
