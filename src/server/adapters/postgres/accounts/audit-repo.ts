import type { AuditTrailRepo } from '../../../domain/accounts/audit-trail.ts'
import type { AuditEvent, AuditRepo } from '../../../kernel/audit.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Db } from '../db.ts'
import type { Sql } from '../sql.ts'

export function createAuditRepo(db: Db): AuditRepo {
  return { add: (event) => addAudit(db.sql, event) }
}

export function createAuditTrailRepo({ sql }: Db): AuditTrailRepo {
  return {
    list: ({ userId = null, action = null, beforeId = null, limit }) => sql.rows<'listAudit'>`
      SELECT id, at, action, actor, user_id AS "userId", subject_id AS "subjectId", address, details FROM audit_entries
      WHERE (${userId}::uuid IS NULL OR user_id = ${userId}::uuid) AND (${action}::text IS NULL OR action = ${action}::text)
        AND (${beforeId}::uuid IS NULL OR id < ${beforeId}::uuid)
      ORDER BY id DESC LIMIT ${limit}::int`,
  }
}

/** Adds an entry; in a transaction, so that the entry and the change it records are committed together. */
export async function addAudit(sql: Sql, event: AuditEvent): Promise<void> {
  const { action, actor, userId = null, subjectId = null, address, details = {} } = event
  await sql.run<'addAudit'>`
    INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
    VALUES (${newId()}::uuid, ${action}, ${actor}, ${userId}::uuid, ${subjectId}, ${address},
            ${JSON.stringify(details)}::jsonb)`
}
