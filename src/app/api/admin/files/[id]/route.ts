import { deleteBackendFile, getBackendFile } from '../../../../../server/api/http/admin/files.ts'
import { allowOnly } from '../../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../../serve.ts'

export const GET = serve(getBackendFile)
export const DELETE = serve(deleteBackendFile)
export const { POST, PUT, PATCH, OPTIONS } = allowOnly('GET', 'DELETE')
