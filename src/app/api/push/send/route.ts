import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { handleSend } from '../../../../server/http/push-send.ts'
import { getServices } from '../../../../server/services.ts'

export const POST = (request: Request) => handleSend(request, getServices())
export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')

/** Next then passes the request on as it is, not through a proxy that watches what is read (docs/performance.md). */
export const dynamic = 'force-dynamic'
