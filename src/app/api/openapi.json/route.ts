import { allowOnly } from '../../../server/http/allowed-methods.ts'
import { handleOpenapi } from '../../../server/http/openapi.ts'
import { getServices } from '../../../server/services.ts'

export const GET = (request: Request) => handleOpenapi(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
