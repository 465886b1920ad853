import { handleCreatePushToken, handleListPushTokens } from '../../../../server/http/admin/push-tokens.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleListPushTokens(request, getServices())
export const POST = (request: Request) => handleCreatePushToken(request, getServices())
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
