import { handleRedeliver } from '../../../../../../../../server/http/admin/webhooks.ts'
import { allowOnly } from '../../../../../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../../../../../server/services.ts'

type Context = { params: Promise<{ id: string; deliveryId: string }> }

export async function POST(request: Request, { params }: Context) {
  const { id, deliveryId } = await params
  return handleRedeliver(request, getServices(), id, deliveryId)
}

export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')
