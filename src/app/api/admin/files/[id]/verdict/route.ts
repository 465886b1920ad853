import { decideBackendFile } from '../../../../../../server/api/http/admin/files.ts'
import { allowOnly } from '../../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../../serve.ts'

export const POST = serve(decideBackendFile)
export const { GET, PUT, PATCH, DELETE, OPTIONS } = allowOnly('POST')
