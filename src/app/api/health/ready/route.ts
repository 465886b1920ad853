import { getServices } from '../../../../server/container.ts'
import { handleReady } from '../../../../server/http/health.ts'

export const GET = () => handleReady(getServices())
