import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { preflight, withCors } from '../../../../server/http/cors.ts'
import { getServices } from '../../../../server/services.ts'
import { handleTrpc } from '../../../../server/trpc/handler.ts'

const handler = async (request: Request) => {
  const response = await handleTrpc(request, getServices())
  return withCors(request, response, (await getServices()).config.corsOrigins)
}

export { handler as GET, handler as POST }
export const { PUT, PATCH, DELETE } = allowOnly('GET', 'POST')

export const OPTIONS = async (request: Request) =>
  preflight(request, (await getServices()).config.corsOrigins)

/** Next then passes the request on as it is, not through a proxy that watches what is read (docs/performance.md). */
export const dynamic = 'force-dynamic'
