import { allowOnly } from '../../../server/api/http/allowed-methods.ts'
import { showShare, unlockShare } from '../../../server/api/http/share-visit.ts'
import { getServices } from '../../../server/wiring/services.ts'
import { sharePages } from './share-pages.ts'

type Context = { params: Promise<{ token: string }> }

export const GET = async (request: Request, { params }: Context) =>
  showShare(request, getServices(), (await params).token, sharePages)

export const POST = async (request: Request, { params }: Context) =>
  unlockShare(request, getServices(), (await params).token, sharePages)

export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
