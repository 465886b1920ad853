import type { AuditEvent, AuditRepo } from '../../audit.ts'
import { newId } from '../../ids.ts'
import type { Db } from '../postgres/db.ts'
import type { Sql } from '../postgres/sql.ts'

export function createAuditRepo(db: Db): AuditRepo {
  return { add: (event) => addAudit(db.sql, event) }
}

/** Also inside a transaction, so that the entry stands or falls with what it tells. */
export async function addAudit(sql: Sql, event: AuditEvent): Promise<void> {
  const { action, actor, userId = null, subjectId = null, address, details = {} } = event
  await sql.run`
    INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
    VALUES (${newId()}::uuid, ${action}, ${actor}, ${userId}::uuid, ${subjectId}, ${address},
            ${JSON.stringify(details)}::jsonb)`
}
