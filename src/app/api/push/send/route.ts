import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { sendPush } from '../../../../server/api/http/push-send.ts'
import { serve } from '../../serve.ts'

export const POST = serve(sendPush)
export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')

/** Makes Next pass the request on directly, instead of a proxy that tracks what is read (docs/performance.md). */
export const dynamic = 'force-dynamic'
