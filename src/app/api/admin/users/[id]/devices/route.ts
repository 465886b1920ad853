import { listUserDevices } from '../../../../../../server/api/http/admin/users.ts'
import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../../serve.ts'

export const GET = serve(listUserDevices)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
