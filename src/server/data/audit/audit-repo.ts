import type { AuditAction, AuditEvent, AuditRepo } from '../../audit.ts'
import type { AuditEntry, AuditTrailRepo } from '../../audit-trail.ts'
import { newId } from '../../ids.ts'
import type { Db } from '../postgres/db.ts'
import type { Sql } from '../postgres/sql.ts'

export function createAuditRepo(db: Db): AuditRepo {
  return { add: (event) => addAudit(db.sql, event) }
}

export function createAuditTrailRepo(db: Db): AuditTrailRepo {
  return {
    async list({ userId, action, beforeId, limit }) {
      const rows = await db.auditEntry.findMany({
        where: { userId, action, id: { lt: beforeId } },
        orderBy: { id: 'desc' },
        take: limit,
      })
      return rows.map((row) => ({
        ...row,
        action: row.action as AuditAction,
        details: row.details as AuditEntry['details'],
      }))
    },
  }
}

/** Also inside a transaction, so that the entry stands or falls with what it tells. */
export async function addAudit(sql: Sql, event: AuditEvent): Promise<void> {
  const { action, actor, userId = null, subjectId = null, address, details = {} } = event
  await sql.run`
    INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
    VALUES (${newId()}::uuid, ${action}, ${actor}, ${userId}::uuid, ${subjectId}, ${address},
            ${JSON.stringify(details)}::jsonb)`
}
