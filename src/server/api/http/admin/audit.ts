import { listAuditInput, listAuditOutput } from '../../../domain/accounts/audit-trail.ts'
import { adminOperation } from './admin-operation.ts'

export const listAudit = adminOperation({
  route: 'GET /api/admin/audit',
  summary: 'Lists the audit log, newest first.',
  query: listAuditInput,
  responses: { 200: { description: 'A page', schema: listAuditOutput } },
  handle: (call) => call.services.auditTrail.list(call.query()),
})
