import { exportAudit } from '../../../../../server/api/http/admin/audit.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const GET = serve(exportAudit)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
