import { createServerKey, listServerKeys } from '../../../../server/api/http/admin/server-keys.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const GET = serve(listServerKeys)
export const POST = serve(createServerKey)
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
