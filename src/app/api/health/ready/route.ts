import { getServices } from '../../../../server/container.ts'
import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { handleReady } from '../../../../server/http/readiness.ts'

export const GET = () => handleReady(getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
