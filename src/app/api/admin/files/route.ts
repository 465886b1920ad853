import { listBackendFiles } from '../../../../server/api/http/admin/files.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const GET = serve(listBackendFiles)
export const { POST, PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET')
