import { getServices } from '../../../../server/container.ts'
import { handleCreateToken, handleListTokens } from '../../../../server/http/push-tokens.ts'

export const POST = (request: Request) => handleCreateToken(request, getServices())
export const GET = (request: Request) => handleListTokens(request, getServices())
