import { handleDeliveries } from '../../../../../../server/http/admin/webhooks.ts'
import { allowOnly } from '../../../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../../../server/services.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return handleDeliveries(request, getServices(), (await params).id)
}

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
