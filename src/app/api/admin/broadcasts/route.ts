import { getServices } from '../../../../server/container.ts'
import { handleListBroadcasts } from '../../../../server/http/admin/broadcasts.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'

export const GET = (request: Request) => handleListBroadcasts(request, getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
