import { getServices } from '../../../server/container.ts'
import { allowOnly } from '../../../server/http/allowed-methods.ts'
import { securityTxt } from '../../../server/http/security-txt.ts'

export const GET = async () => securityTxt(await getServices())
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
