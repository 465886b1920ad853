import { runAllChecks, runReadOnlyChecks } from '../../../../server/api/http/admin/health.ts'
import { allowOnly } from '../../../../server/api/http/allowed-methods.ts'
import { serve } from '../../serve.ts'

export const GET = serve(runReadOnlyChecks)
export const POST = serve(runAllChecks)
export const { PUT, PATCH, DELETE, OPTIONS } = allowOnly('GET', 'POST')
