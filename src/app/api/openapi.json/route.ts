import { allowOnly } from '../../../server/api/http/allowed-methods.ts'
import { handleOpenapi } from '../../../server/api/openapi/openapi.ts'
import { getServices } from '../../../server/wiring/services.ts'

export const GET = (request: Request) => handleOpenapi(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
