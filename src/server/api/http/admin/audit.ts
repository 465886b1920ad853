import { z } from 'zod'
import { exportAuditInput, listAuditInput, listAuditOutput } from '../../../domain/accounts/audit-trail.ts'
import { adminOperation } from './admin-operation.ts'

export const listAudit = adminOperation({
  route: 'GET /api/admin/audit',
  summary: 'Lists the audit log, newest first.',
  query: listAuditInput,
  responses: { 200: { description: 'A page', schema: listAuditOutput } },
  handle: (call) => call.services.auditTrail.list(call.query(), call.caller.actor),
})

export const exportAudit = adminOperation({
  route: 'GET /api/admin/audit/export',
  summary: 'Returns the audit log as CSV, newest first: at most 100,000 entries.',
  query: exportAuditInput,
  responses: { 200: { description: 'The entries', schema: z.string(), type: 'text/csv' } },
  handle: async (call) => {
    const lines = call.services.auditTrail.export(call.query(), call.caller.actor)
    call.headers['content-disposition'] = 'attachment; filename="audit.csv"'
    return lines
  },
})
