import type { Ready, UploadRepo } from '../../../domain/uploads/upload-repo.ts'
import type { Db } from '../db.ts'
import type { Row } from '../sql.ts'
import { fileRecord } from './file-record.ts'
import { REPLACED_PER_STATEMENT, replaceRest } from './replaced-files.ts'

/** Keeps each statement far below the time limit, because a trigger runs for each file. */
const DELETED_PER_STATEMENT = 2_000

/** State changes. Each is one conditional statement that also moves the file's bytes in its owner's quota. */
export function transitions(db: Db) {
  return {
    async markReady(id, leaseId, { etag, at, cleanupAfter, expiresAt, replace }) {
      if (replace) return markReadyAndReplace(id, leaseId, { etag, at, cleanupAfter, expiresAt, replace })
      const changed = await db.retrying.run<'markReady'>`
        WITH ready AS (
          UPDATE files SET state = 'READY', etag = ${etag}, ready_at = ${at}::timestamptz,
            used_bytes = size_bytes, reserved_bytes = 0, expires_at = ${expiresAt}::timestamptz,
            cleanup_after = ${cleanupAfter}::timestamptz, lease_id = NULL, leased_until = NULL
          WHERE id = ${id}::uuid AND lease_id = ${leaseId}::uuid AND state IN ('PENDING', 'UPLOADING')
            AND reserved_bytes = size_bytes
          RETURNING user_id, size_bytes
        )
        UPDATE users SET used_bytes = used_bytes + ready.size_bytes,
          reserved_bytes = reserved_bytes - ready.size_bytes, open_uploads = GREATEST(open_uploads - 1, 0)
        FROM ready WHERE users.id = ready.user_id`
      return changed === 1 ? [] : null
    },

    markEnded: (id, leaseId, ending) => db.retrying.wrote<'markEnded'>`
      WITH old AS (
        SELECT id, user_id, CASE WHEN ${ending.release}::bool THEN reserved_bytes ELSE 0 END AS released
        FROM files
        WHERE id = ${id}::uuid AND lease_id = ${leaseId}::uuid AND state IN ('PENDING', 'UPLOADING')
        FOR UPDATE
      ), ended AS (
        UPDATE files SET state = ${ending.state}::file_state, reject_reason = ${ending.rejectReason ?? null},
          reserved_bytes = files.reserved_bytes - old.released, expires_at = NULL,
          cleanup_after = ${ending.cleanupAfter}::timestamptz, ended_at = ${ending.at}::timestamptz,
          deleted_at = ${ending.deletedAt ?? null}::timestamptz, lease_id = NULL, leased_until = NULL
        FROM old WHERE files.id = old.id
      )
      UPDATE users SET reserved_bytes = users.reserved_bytes - old.released,
        open_uploads = GREATEST(users.open_uploads - 1, 0)
      FROM old WHERE users.id = old.user_id`,

    releaseQuota: (id, cleanupAfter) => db.retrying.write<'releaseQuota'>`
      WITH old AS (
        SELECT id, user_id, reserved_bytes FROM files
        WHERE id = ${id}::uuid AND reserved_bytes > 0 AND state NOT IN ('PENDING', 'UPLOADING')
        FOR UPDATE
      ), freed AS (
        UPDATE files SET reserved_bytes = 0, cleanup_after = ${cleanupAfter}::timestamptz,
          cleanup_failing_since = NULL
        FROM old WHERE files.id = old.id
      )
      UPDATE users SET reserved_bytes = users.reserved_bytes - old.reserved_bytes
      FROM old WHERE users.id = old.user_id`,

    /**
     * Used bytes become reserved bytes, so a deleted file counts against the quota until its object is gone. A sweeper
     * that is cleaning up after the upload loses its lease, because it would overwrite `cleanup_after`. A file in the
     * trash leaves it.
     */
    async markDeleted(id, userId, at) {
      const [row] = await db.retrying.rows<'markDeleted'>`
        WITH old AS (
          SELECT id, user_id, used_bytes FROM files
          WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND state NOT IN ('PENDING', 'UPLOADING')
          FOR UPDATE
        ), moved AS (
          UPDATE users SET used_bytes = users.used_bytes - old.used_bytes,
            reserved_bytes = users.reserved_bytes + old.used_bytes
          FROM old WHERE users.id = old.user_id AND old.used_bytes > 0
        ), pictures AS (
          DELETE FROM file_thumbnails USING old WHERE file_id = old.id
        )
        UPDATE files SET used_bytes = 0, thumbnail_bytes = 0,
          reserved_bytes = files.reserved_bytes + old.used_bytes,
          deleted_at = CASE WHEN files.deleted_at IS NULL OR files.trash_expires_at IS NOT NULL
            THEN ${at}::timestamptz ELSE files.deleted_at END,
          cleanup_after = CASE WHEN files.deleted_at IS NULL OR files.trash_expires_at IS NOT NULL
            THEN ${at}::timestamptz ELSE files.cleanup_after END,
          trash_expires_at = NULL, trash_visibility = NULL, lease_id = NULL, leased_until = NULL
        FROM old WHERE files.id = old.id
        RETURNING files.*`
      return row ? fileRecord(row) : null
    },

    async markAllDeleted(userId, at) {
      while ((await markSomeDeleted(userId, at)) === DELETED_PER_STATEMENT);
      return db.file.count({ where: { userId, deletedAt: null } })
    },
  } satisfies Partial<UploadRepo>

  /** Returns the number of files. A file that this has marked at `at` is not marked again. */
  function markSomeDeleted(userId: string, at: Date): Promise<number> {
    return db.retrying.run<'markAllDeleted'>`
        WITH old AS (
          SELECT id, user_id, used_bytes, state IN ('PENDING', 'UPLOADING') AS unfinished FROM files
          WHERE user_id = ${userId}::uuid AND (deleted_at IS NULL
              OR (cleanup_after > ${at}::timestamptz AND cleanup_failing_since IS NULL))
            AND (state NOT IN ('PENDING', 'UPLOADING') OR leased_until IS NULL OR leased_until < now())
          ORDER BY id LIMIT ${DELETED_PER_STATEMENT}::int FOR UPDATE
        ), moved AS (
          UPDATE users SET used_bytes = users.used_bytes - sums.used, reserved_bytes = users.reserved_bytes + sums.used,
            open_uploads = GREATEST(users.open_uploads - sums.unfinished, 0)
          FROM (
            SELECT user_id, sum(used_bytes) AS used, count(*) FILTER (WHERE unfinished) AS unfinished FROM old GROUP BY user_id
          ) AS sums
          WHERE users.id = sums.user_id
        ), pictures AS (
          DELETE FROM file_thumbnails USING old WHERE file_id = old.id
        )
        UPDATE files SET deleted_at = COALESCE(files.deleted_at, ${at}::timestamptz),
          state = CASE WHEN old.unfinished THEN 'ABORTED' ELSE files.state END,
          ended_at = CASE WHEN old.unfinished THEN ${at}::timestamptz ELSE files.ended_at END,
          used_bytes = 0, thumbnail_bytes = 0, reserved_bytes = files.reserved_bytes + old.used_bytes,
          expires_at = NULL, cleanup_after = ${at}::timestamptz, trash_expires_at = NULL, trash_visibility = NULL,
          lease_id = NULL, leased_until = NULL
        FROM old WHERE files.id = old.id`
  }

  /**
   * Also deletes the policy's oldest ready files beyond its limit. `owner` locks the user's row before it counts them. If
   * there are too many for one statement, others delete the rest.
   */
  async function markReadyAndReplace(
    id: string,
    leaseId: string,
    { etag, at, cleanupAfter, expiresAt, replace }: Ready & { replace: NonNullable<Ready['replace']> },
  ) {
    const rows = await db.retrying.rows<'markReadyAndReplace'>`
        WITH ready AS (
          UPDATE files SET state = 'READY', etag = ${etag}, ready_at = ${at}::timestamptz,
            used_bytes = size_bytes, reserved_bytes = 0, expires_at = ${expiresAt}::timestamptz,
            cleanup_after = ${cleanupAfter}::timestamptz, lease_id = NULL, leased_until = NULL
          WHERE id = ${id}::uuid AND lease_id = ${leaseId}::uuid AND state IN ('PENDING', 'UPLOADING')
            AND reserved_bytes = size_bytes
          RETURNING user_id, size_bytes
        ), owner AS (
          UPDATE users SET used_bytes = used_bytes + ready.size_bytes,
            reserved_bytes = reserved_bytes - ready.size_bytes, open_uploads = GREATEST(open_uploads - 1, 0)
          FROM ready WHERE users.id = ready.user_id
          RETURNING users.id
        )
        SELECT owner.id AS owner, replaced.* FROM owner LEFT JOIN LATERAL delete_replaced_files(
          owner.id, ${replace.policy}, ${id}::uuid, GREATEST(${replace.maxFiles - 1}::int, (
            SELECT count(*)::int FROM files WHERE user_id = owner.id AND policy = ${replace.policy} AND state = 'READY'
              AND deleted_at IS NULL AND ended_at IS NULL) - ${REPLACED_PER_STATEMENT}::int),
          ${at}::timestamptz) AS replaced ON true`
    const [first] = rows
    if (!first) return null
    const replaced = rows.flatMap((row) => (row.id === null ? [] : [fileRecord(row as Row<'findFiles'>)]))
    await replaceRest(db, replaced, { userId: first.owner, ...replace, at, newestUploadStays: false })
    return replaced
  }
}
