import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { handleNextAuth } from '../../../../server/http/next-auth/handler.ts'
import { getServices } from '../../../../server/services.ts'

const handler = (request: Request) => handleNextAuth(request, getServices())

export { handler as GET, handler as POST }
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
