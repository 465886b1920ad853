import { handleDoctor, handleQuickDoctor } from '../../../../server/http/admin/health.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleQuickDoctor(request, getServices())
export const POST = (request: Request) => handleDoctor(request, getServices())
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
