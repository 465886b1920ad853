import { allowOnly } from '../../../server/api/http/allowed-methods.ts'
import { securityTxt } from '../../../server/api/http/security-txt.ts'
import { getServices } from '../../../server/wiring/services.ts'

export const GET = async () => securityTxt(await getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
