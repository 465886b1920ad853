import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { handleMessages } from '../../../../server/http/push-messages.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleMessages(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
