import { handleNextAuth } from '../../../../server/auth/next-auth/handler.ts'
import { getServices } from '../../../../server/container.ts'
import { allowOnly } from '../../../../server/http/methods.ts'

const handler = (request: Request) => handleNextAuth(request, getServices())

export { handler as GET, handler as POST }
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
