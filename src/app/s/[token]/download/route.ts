import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { downloadShare } from '../../../../server/http/share-visit.ts'
import { getServices } from '../../../../server/services.ts'
import { sharePages } from '../share-pages.ts'

export const GET = async (request: Request, { params }: { params: Promise<{ token: string }> }) =>
  downloadShare(request, getServices(), (await params).token, sharePages)

export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
