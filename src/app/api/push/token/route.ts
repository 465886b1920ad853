import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { handleCreateToken, handleListTokens } from '../../../../server/http/push-tokens.ts'
import { getServices } from '../../../../server/services.ts'

export const POST = (request: Request) => handleCreateToken(request, getServices())
export const GET = (request: Request) => handleListTokens(request, getServices())
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
