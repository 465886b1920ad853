import { getServices } from '../../../../server/container.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { showThumbnail } from '../../../../server/http/file-thumbnail.ts'

export const GET = async (request: Request, { params }: { params: Promise<{ id: string }> }) =>
  showThumbnail(request, getServices(), (await params).id)

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
