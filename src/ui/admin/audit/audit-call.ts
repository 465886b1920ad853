import type { AuditEntry } from '@pigeonhole/client/admin'

const ID = /\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}(?=\/|$)/g

/** Returns the route of an entry about a successful API call, such as `DELETE /api/admin/files/{id}`. Empty for others. */
export function auditCallOf({ action, details: { method, path, status } }: AuditEntry): string {
  if (action !== 'admin.called' || Number(status) >= 300) return ''
  return `${method} ${String(path).replaceAll(ID, '/{id}')}`
}
