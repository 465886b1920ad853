import { getServices } from '../../../../server/container.ts'
import { handleReady } from '../../../../server/http/health.ts'
import { allowOnly } from '../../../../server/http/methods.ts'

export const GET = () => handleReady(getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
