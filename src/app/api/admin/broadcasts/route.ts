import { handleListBroadcasts } from '../../../../server/http/admin/broadcasts.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = (request: Request) => handleListBroadcasts(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
