import { allowOnly } from '../../../../../../../server/http/allowed-methods.ts'
import { handleSubscribe, handleUnsubscribe } from '../../../../../../../server/http/push-topics.ts'
import { getServices } from '../../../../../../../server/services.ts'

type Context = { params: Promise<{ topic: string; userId: string }> }

export async function PUT(request: Request, { params }: Context) {
  return handleSubscribe(request, getServices(), await params)
}

export async function DELETE(request: Request, { params }: Context) {
  return handleUnsubscribe(request, getServices(), await params)
}

export const { GET, POST, PATCH, OPTIONS } = allowOnly('PUT', 'DELETE')
