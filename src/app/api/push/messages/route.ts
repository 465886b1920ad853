import { getServices } from '../../../../server/container.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { handleMessages } from '../../../../server/http/push-messages.ts'

export const GET = (request: Request) => handleMessages(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
