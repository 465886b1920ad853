import {
  handleDeleteWebhook,
  handleUpdateWebhook,
  handleWebhook,
} from '../../../../../server/http/admin/webhooks.ts'
import { allowOnly } from '../../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../../server/services.ts'

type Context = { params: Promise<{ id: string }> }

export async function GET(request: Request, { params }: Context) {
  return handleWebhook(request, getServices(), (await params).id)
}

export async function PATCH(request: Request, { params }: Context) {
  return handleUpdateWebhook(request, getServices(), (await params).id)
}

export async function DELETE(request: Request, { params }: Context) {
  return handleDeleteWebhook(request, getServices(), (await params).id)
}

export const { POST, PUT, OPTIONS } = allowOnly('GET', 'PATCH', 'DELETE')
