import { getServices } from '../../../../server/container.ts'
import { handleTrpc } from '../../../../server/trpc/handler.ts'

const handler = (request: Request) => handleTrpc(request, getServices())

export { handler as GET, handler as POST }
