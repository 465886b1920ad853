import { allowOnly } from '../../../server/http/allowed-methods.ts'
import { showShare, unlockShare } from '../../../server/http/share-visit.ts'
import { getServices } from '../../../server/services.ts'
import { sharePages } from './share-pages.ts'

type Context = { params: Promise<{ token: string }> }

export const GET = async (request: Request, { params }: Context) =>
  showShare(request, getServices(), (await params).token, sharePages)

export const POST = async (request: Request, { params }: Context) =>
  unlockShare(request, getServices(), (await params).token, sharePages)

export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
