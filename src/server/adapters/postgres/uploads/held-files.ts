import type { UploadRepo } from '../../../domain/uploads/upload-repo.ts'
import { addAudit } from '../accounts/audit-repo.ts'
import type { Db } from '../db.ts'
import { fileRecord } from './file-record.ts'
import { replaceRest, replaceSome } from './replaced-files.ts'

/**
 * Changes of held files. The bytes of a held file stay reserved, and its cleanup_after is null: the sweeper of the version
 * before this state removes whatever is due and not READY.
 */
export function heldFiles(db: Db) {
  return {
    markHeld: (id, leaseId, { etag, until }) => db.retrying.wrote<'markHeld'>`
      WITH held AS (
        UPDATE files SET state = 'HELD', etag = ${etag}, expires_at = ${until}::timestamptz, cleanup_after = NULL,
          lease_id = NULL, leased_until = NULL
        WHERE id = ${id}::uuid AND lease_id = ${leaseId}::uuid AND state IN ('PENDING', 'UPLOADING')
          AND reserved_bytes = size_bytes
        RETURNING user_id
      )
      UPDATE users SET open_uploads = GREATEST(open_uploads - 1, 0) FROM held WHERE users.id = held.user_id`,

    async acceptHeld(id, { at, cleanupAfter, expiresAt, replace, audit, publicKey }) {
      const accepted = await db.repeatableSql(async (sql) => {
        const [owner] = await sql.rows<'acceptHeld'>`
            WITH ready AS (
              UPDATE files SET state = 'READY', ready_at = ${at}::timestamptz, used_bytes = size_bytes,
                reserved_bytes = 0, expires_at = ${expiresAt}::timestamptz, cleanup_after = ${cleanupAfter}::timestamptz
              WHERE id = ${id}::uuid AND state = 'HELD' AND deleted_at IS NULL
              RETURNING user_id, size_bytes
            )
            UPDATE users SET used_bytes = used_bytes + ready.size_bytes,
              reserved_bytes = reserved_bytes - ready.size_bytes
            FROM ready WHERE users.id = ready.user_id
            RETURNING users.id`
        if (!owner) return null
        await addAudit(sql, audit)
        if (publicKey !== undefined)
          await sql.run<'publishAcceptedFile'>`
              INSERT INTO file_moves (key, file_id, visibility, due_at)
              VALUES (${publicKey}, ${id}::uuid, 'public', ${at}::timestamptz)`
        if (!replace) return { replaced: [] }
        // Verdicts come in any order, so the newest upload stays, not the file accepted last.
        const replacement = { userId: owner.id, ...replace, at, newestUploadStays: true }
        return { replacement, replaced: await replaceSome(sql, replacement) }
      })
      if (accepted?.replacement) await replaceRest(db, accepted.replaced, accepted.replacement)
      return accepted?.replaced ?? null
    },

    rejectHeld: (id, { rejectReason, at, audit }) =>
      db.repeatableSql(async (sql) => {
        const [row] = await sql.rows<'rejectHeld'>`
            UPDATE files SET state = 'REJECTED', reject_reason = ${rejectReason}, expires_at = NULL,
              ended_at = ${at}::timestamptz, cleanup_after = ${at}::timestamptz
            WHERE id = ${id}::uuid AND state = 'HELD' AND deleted_at IS NULL
            RETURNING *`
        if (!row) return null
        await addAudit(sql, audit)
        return fileRecord(row)
      }),

    async findOverdueHeld(now, after, limit) {
      const rows = await db.sql.rows<'findOverdueHeld'>`
        SELECT * FROM files WHERE state = 'HELD' AND deleted_at IS NULL AND expires_at <= ${now}::timestamptz
          AND (expires_at, id) > (coalesce(${after?.expiresAt ?? null}::timestamptz, '-infinity'),
            coalesce(${after?.id ?? null}::uuid, '00000000-0000-0000-0000-000000000000'))
        ORDER BY expires_at, id LIMIT ${limit}::int`
      return rows.map(fileRecord)
    },
  } satisfies Partial<UploadRepo>
}
