import { handleListAudit } from '../../../../server/http/admin/audit.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleListAudit(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
