import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { showThumbnail } from '../../../../server/api/http/file-download.ts'
import { getServices } from '../../../../server/wiring/services.ts'

export const GET = async (request: Request, { params }: { params: Promise<{ id: string }> }) =>
  showThumbnail(request, getServices(), (await params).id)

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
