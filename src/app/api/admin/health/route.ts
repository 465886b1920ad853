import { handleHealth } from '../../../../server/http/admin/health.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleHealth(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
