import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { handleNextAuth } from '../../../../server/api/http/next-auth/handler.ts'
import { getServices } from '../../../../server/wiring/services.ts'

const handler = (request: Request) => handleNextAuth(request, getServices())

export { handler as GET, handler as POST }
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
