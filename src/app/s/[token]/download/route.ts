import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { downloadShare } from '../../../../server/api/http/share-visit.ts'
import { getServices } from '../../../../server/wiring/services.ts'
import { sharePages } from '../share-pages.ts'

export const GET = async (request: Request, { params }: { params: Promise<{ token: string }> }) =>
  downloadShare(request, getServices(), (await params).token, sharePages)

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
