import { handleNextAuth } from '../../../../server/auth/next-auth/handler.ts'
import { getServices } from '../../../../server/container.ts'

const handler = (request: Request) => handleNextAuth(request, getServices())

export { handler as GET, handler as POST }
