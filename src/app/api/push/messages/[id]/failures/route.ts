import { allowOnly } from '../../../../../../server/http/allowed-methods.ts'
import { handleFailures } from '../../../../../../server/http/push-messages.ts'
import { getServices } from '../../../../../../server/services.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return handleFailures(request, getServices(), (await params).id)
}

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
