import type { AuditTrailRepo } from '../../../domain/accounts/audit-trail.ts'
import type { AuditEvent, AuditRepo } from '../../../kernel/audit.ts'
import { FIRST_ID, LAST_ID, newId } from '../../../kernel/ids.ts'
import type { Db } from '../db.ts'
import type { Sql } from '../sql.ts'

export function createAuditRepo(db: Db): AuditRepo {
  return { add: (event) => addAudit(db.sql, event) }
}

export function createAuditTrailRepo({ planned }: Pick<Db, 'planned'>): AuditTrailRepo {
  return {
    list({ userId = null, actor = null, action = null, beforeId = LAST_ID, afterId = FIRST_ID, ...search }) {
      const { from = null, to = null, hideReadsOf = null, hideCalls = null, limit } = search
      return planned.rows<'listAudit'>`
        SELECT e.id, e.at, e.action, e.actor, e.user_id AS "userId", e.subject_id AS "subjectId", e.address, e.details,
          coalesce(a.email, a.display_email, a.name, t.name, k.name) AS "actorName",
          coalesce(u.email, u.display_email, u.name) AS "userName",
          -- Subqueries, because joins would read whole tables for an export.
          coalesce(
            -- Not the title of a message that went to one user at once, which only that user reads.
            (SELECT m.content ->> 'title' FROM push_messages m WHERE m.id = e.subject AND e.action = 'push.cancelled'),
            (SELECT f.filename FROM shares s JOIN files f ON f.id = s.file_id AND f.deleted_at IS NULL WHERE s.id = e.subject),
            -- Only the origin of a URL, because paths and queries of webhooks often contain a secret.
            (SELECT substring(w.url FROM '^[a-z]+://[^/?#]+') FROM webhooks w WHERE w.id = e.subject)) AS "subjectName"
        FROM (
            SELECT *, CASE WHEN subject_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN subject_id::uuid END AS subject
            FROM audit_entries
            WHERE id < ${beforeId}::uuid AND id > ${afterId}::uuid
              AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)
              AND (${actor}::text IS NULL OR actor = ${actor}::text)
              AND (${action}::text IS NULL OR action = ${action}::text)
              AND (${from}::timestamptz IS NULL OR at >= ${from}::timestamptz)
              AND (${to}::timestamptz IS NULL OR at < ${to}::timestamptz)
              AND (actor = ${hideReadsOf}::text AND action = 'admin.called' AND details ->> 'method' = 'GET') IS NOT TRUE
              AND (${hideCalls}::text[] IS NOT NULL AND action = 'admin.called'
                AND (details ->> 'status' LIKE '4%' AND details ->> 'status' NOT IN ('401', '403')
                  OR concat(details ->> 'method', ' ', details ->> 'path') ~ ANY (${hideCalls}::text[])
                    AND details ->> 'status' LIKE '2%')) IS NOT TRUE
            ORDER BY id DESC LIMIT ${limit}::int) AS e
          LEFT JOIN users u ON u.id = e.user_id AND u.deleted_at IS NULL
          LEFT JOIN users a ON a.id = CASE WHEN e.actor LIKE 'user:%' THEN substr(e.actor, 6)::uuid END
            AND a.deleted_at IS NULL
          LEFT JOIN push_tokens t ON t.id = CASE WHEN e.actor LIKE 'token:%' THEN substr(e.actor, 7)::uuid END
          LEFT JOIN server_keys k ON k.id = CASE WHEN e.actor LIKE 'key:%' THEN substr(e.actor, 5)::uuid END
        ORDER BY e.id DESC`
    },
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
