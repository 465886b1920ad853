import { allowOnly } from '../../../../../server/http/allowed-methods.ts'
import { handleCancel, handleMessage } from '../../../../../server/http/push-messages.ts'
import { getServices } from '../../../../../server/services.ts'

export async function GET(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return handleMessage(request, getServices(), (await params).id)
}

export async function DELETE(request: Request, { params }: { params: Promise<{ id: string }> }) {
  return handleCancel(request, getServices(), (await params).id)
}

export const { POST, PUT, PATCH, OPTIONS } = allowOnly('GET', 'DELETE')
