import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { showThumbnail } from '../../../../server/http/file-thumbnail.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = async (request: Request, { params }: { params: Promise<{ id: string }> }) =>
  showThumbnail(request, getServices(), (await params).id)

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
