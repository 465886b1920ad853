import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { preflight, withCors } from '../../../../server/api/http/cors.ts'
import { handleTrpc } from '../../../../server/api/trpc/handler.ts'
import { getServices } from '../../../../server/wiring/services.ts'

const handler = async (request: Request) => {
  const response = await handleTrpc(request, getServices())
  return withCors(request, response, (await getServices()).config.corsOrigins)
}

export { handler as GET, handler as POST }
export const { PUT, PATCH, DELETE } = allowOnly('GET', 'POST')

export const OPTIONS = async (request: Request) =>
  preflight(request, (await getServices()).config.corsOrigins)

/** Makes Next pass the request on directly, instead of a proxy that tracks what is read (docs/performance.md). */
export const dynamic = 'force-dynamic'
