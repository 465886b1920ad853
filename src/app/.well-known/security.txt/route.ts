import { allowOnly } from '../../../server/http/allowed-methods.ts'
import { securityTxt } from '../../../server/http/security-txt.ts'
import { getServices } from '../../../server/services.ts'

export const GET = async () => securityTxt(await getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
