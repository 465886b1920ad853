import { allowOnly } from '../../../../server/http/allowed-methods.ts'
import { handleReadiness } from '../../../../server/http/readiness.ts'
import { getServices } from '../../../../server/services.ts'

export const GET = () => handleReadiness(getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
