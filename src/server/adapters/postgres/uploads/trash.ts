import type { TrashRepo } from '../../../domain/uploads/trash-repo.ts'
import type { Db } from '../db.ts'
import { fileRecord } from './file-record.ts'

/**
 * The trash. A file in it is a deleted row that keeps its object: `deleted_at` hides it from every other statement, and its
 * bytes are reserved. Each change is one conditional statement.
 *
 * The last version without a trash removes the object of a deleted row when `cleanup_after` is due, so that is when the
 * file leaves the trash. If a client of that version deletes the file again, its row no longer has reserved bytes.
 */
export function trash(db: Db): TrashRepo {
  return {
    moveToTrash: (id, userId, { at, expiresAt, wasPublic, hasPublicFiles }) =>
      db.retrying.wrote<'moveToTrash'>`
        WITH old AS (
          SELECT id, user_id, used_bytes FROM files
          WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND state = 'READY' AND deleted_at IS NULL
            AND (visibility = 'private' OR NOT ${hasPublicFiles}::bool)
          FOR UPDATE
        ), moved AS (
          UPDATE users SET used_bytes = users.used_bytes - old.used_bytes,
            reserved_bytes = users.reserved_bytes + old.used_bytes
          FROM old WHERE users.id = old.user_id
        ), cancelled AS (
          UPDATE file_moves SET visibility = NULL, due_at = ${at}::timestamptz
          FROM old WHERE file_id = old.id AND visibility IS NOT NULL
        )
        UPDATE files SET deleted_at = ${at}::timestamptz, used_bytes = 0,
          reserved_bytes = files.reserved_bytes + old.used_bytes,
          trash_expires_at = LEAST(${expiresAt}::timestamptz, files.expires_at),
          cleanup_after = LEAST(${expiresAt}::timestamptz, files.expires_at),
          trash_visibility = CASE WHEN ${wasPublic}::bool THEN 'public'::file_visibility END,
          lease_id = NULL, leased_until = NULL
        FROM old WHERE files.id = old.id`,

    setTrashVisibility: (id, userId, visibility) => db.sql.write<'setTrashVisibility'>`
      UPDATE files SET trash_visibility = ${visibility}::file_visibility
      WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND state = 'READY' AND deleted_at IS NULL
        AND trash_visibility IS DISTINCT FROM ${visibility}::file_visibility`,

    /** `owner` locks the user's row before it counts the policy's files. */
    async restore(id, userId, { at, maxPolicyFiles, publicKey }) {
      const [row] = await db.retrying.rows<'restoreFile'>`
        WITH old AS (
          SELECT id, user_id, reserved_bytes, policy FROM files
          WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND trash_expires_at > ${at}::timestamptz
            AND reserved_bytes = size_bytes + thumbnail_bytes AND (leased_until IS NULL OR leased_until < now())
          FOR UPDATE
        ), owner AS (
          UPDATE users SET used_bytes = users.used_bytes + old.reserved_bytes,
            reserved_bytes = users.reserved_bytes - old.reserved_bytes
          FROM old WHERE users.id = old.user_id AND users.deleted_at IS NULL
            AND CASE WHEN ${maxPolicyFiles}::int IS NULL THEN true
              ELSE count_policy_files(users.id, old.policy) < ${maxPolicyFiles}::int END
          RETURNING users.id
        ), restored AS (
          UPDATE files SET deleted_at = NULL, trash_expires_at = NULL, trash_visibility = NULL,
            used_bytes = old.reserved_bytes, reserved_bytes = 0, lease_id = NULL, leased_until = NULL,
            cleanup_after = CASE WHEN total_parts IS NULL THEN ${at}::timestamptz END
          FROM old, owner WHERE files.id = old.id
          RETURNING files.*
        ), published AS (
          INSERT INTO file_moves (key, file_id, visibility, due_at)
          SELECT ${publicKey}, id, 'public', ${at}::timestamptz FROM restored WHERE ${publicKey}::text IS NOT NULL
        )
        SELECT * FROM restored`
      return row ? fileRecord(row) : null
    },

    async listTrash(userId, { at, before, limit }) {
      const rows = await db.sql.rows<'listTrash'>`
      SELECT id, filename, mime_type AS "mimeType", size_bytes::float8 AS size, policy, data,
        created_at AS "createdAt", deleted_at AS "trashedAt", trash_expires_at AS "expiresAt"
      FROM files
      WHERE user_id = ${userId}::uuid AND trash_expires_at > ${at}::timestamptz AND reserved_bytes > 0
        AND (${before?.id ?? null}::uuid IS NULL
          OR (deleted_at, id) < (${before?.trashedAt ?? null}::timestamptz, ${before?.id ?? null}::uuid))
      ORDER BY deleted_at DESC, id DESC LIMIT ${limit}::int`
      return rows.map((row) => ({ ...row, trashedAt: row.trashedAt!, expiresAt: row.expiresAt! }))
    },

    async trashTotals(userId, at) {
      const [row] = await db.sql.rows<'trashTotals'>`
        SELECT count(*)::int AS files, COALESCE(sum(reserved_bytes), 0)::float8 AS bytes FROM files
        WHERE user_id = ${userId}::uuid AND trash_expires_at > ${at}::timestamptz`
      return row!
    },

    emptyTrash: (userId, at, limit) => db.retrying.run<'emptyTrash'>`
      WITH due AS (
        SELECT id FROM files
        WHERE user_id = ${userId}::uuid AND trash_expires_at IS NOT NULL AND deleted_at <= ${at}::timestamptz
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
      ), pictures AS (
        DELETE FROM file_thumbnails WHERE file_id = ANY(ARRAY(SELECT id FROM due))
      )
      UPDATE files SET trash_expires_at = NULL, trash_visibility = NULL, thumbnail_bytes = 0,
        deleted_at = ${at}::timestamptz, cleanup_after = ${at}::timestamptz, lease_id = NULL, leased_until = NULL
      WHERE id = ANY(ARRAY(SELECT id FROM due))`,

    deleteExpiredTrash: (at, limit) => db.retrying.run<'deleteExpiredTrash'>`
      WITH due AS (
        SELECT id FROM files
        WHERE trash_expires_at <= ${at}::timestamptz AND (leased_until IS NULL OR leased_until < now())
        ORDER BY trash_expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED
      ), pictures AS (
        DELETE FROM file_thumbnails WHERE file_id = ANY(ARRAY(SELECT id FROM due))
      )
      UPDATE files SET trash_expires_at = NULL, trash_visibility = NULL, thumbnail_bytes = 0,
        delete_reason = CASE WHEN expires_at <= ${at}::timestamptz THEN 'expired' END,
        deleted_at = ${at}::timestamptz, cleanup_after = ${at}::timestamptz, lease_id = NULL, leased_until = NULL
      WHERE id = ANY(ARRAY(SELECT id FROM due))`,
  }
}
