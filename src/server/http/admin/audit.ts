import { listAuditInput } from '../../audit-trail.ts'
import type { Services } from '../../container.ts'
import { parseInput } from '../../validation.ts'
import { adminEndpoint, queryOf } from './admin-endpoint.ts'

/** GET /api/admin/audit */
export function handleListAudit(request: Request, services: Promise<Services>): Promise<Response> {
  return adminEndpoint(request, services, {}, async (call) => ({
    status: 200,
    body: await call.services.auditTrail.list(parseInput(listAuditInput, queryOf(request))),
  }))
}
