import { getServices } from '../../../server/container.ts'
import { handleOpenapi } from '../../../server/http/openapi.ts'

export const GET = () => handleOpenapi(getServices())
