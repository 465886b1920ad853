import type { FileMoveRepo } from '../../../domain/uploads/file-move-repo.ts'
import type { Db } from '../db.ts'

/** Objects that no row of `files` refers to: unfinished copies, and leftovers of moves. */
export function fileMoves({ sql, retrying }: Pick<Db, 'sql' | 'retrying'>): FileMoveRepo {
  return {
    findMove: (fileId) => sql.row<'findFileMove'>`
      SELECT key, file_id AS "fileId", visibility, upload_id AS "uploadId", removed_at AS "removedAt"
      FROM file_moves WHERE file_id = ${fileId}::uuid AND visibility IS NOT NULL`,

    findLeftovers: (fileId) => sql.rows<'findFileMoveLeftovers'>`
      SELECT key, file_id AS "fileId", visibility, upload_id AS "uploadId", removed_at AS "removedAt"
      FROM file_moves WHERE file_id = ${fileId}::uuid AND visibility IS NULL AND removed_at IS NULL`,

    beginMove: (fileId, leaseId, { key, visibility, dueAt }) => sql.wrote<'beginFileMove'>`
      INSERT INTO file_moves (key, file_id, visibility, due_at)
      SELECT ${key}, id, ${visibility}::file_visibility, ${dueAt}::timestamptz FROM files
      WHERE id = ${fileId}::uuid AND lease_id = ${leaseId}::uuid`,

    saveCopyUpload: (key, uploadId) =>
      sql.write<'saveCopyUpload'>`UPDATE file_moves SET upload_id = ${uploadId} WHERE key = ${key}`,

    // Locks the move before the file; deleting a file locks them in the opposite order.
    finishMove: (
      fileId,
      leaseId,
      { from, to, visibility, etag, removeAt },
    ) => retrying.wrote<'finishFileMove'>`
      WITH copy AS (
        SELECT key, file_id FROM file_moves
        WHERE key = ${to} AND file_id = ${fileId}::uuid AND visibility = ${visibility}::file_visibility FOR UPDATE
      ), moved AS (
        UPDATE files SET key = copy.key, visibility = ${visibility}::file_visibility, etag = ${etag},
          lease_id = NULL, leased_until = NULL
        FROM copy
        WHERE files.id = copy.file_id AND lease_id = ${leaseId}::uuid AND files.key = ${from} AND state = 'READY'
          AND deleted_at IS NULL
        RETURNING files.id
      ), done AS (
        DELETE FROM file_moves USING moved WHERE file_moves.key = ${to} AND file_id = moved.id
      )
      INSERT INTO file_moves (key, file_id, due_at) SELECT ${from}, id, ${removeAt}::timestamptz FROM moved`,

    cancelMove: (fileId, leaseId, at) => sql.wrote<'cancelFileMove'>`
      UPDATE file_moves SET visibility = NULL, due_at = ${at}::timestamptz FROM files
      WHERE file_id = ${fileId}::uuid AND file_moves.visibility IS NOT NULL AND files.id = file_id
        AND lease_id = ${leaseId}::uuid`,

    takeMoves: (now, retryAt, limit) => sql.rows<'takeFileMoves'>`
      WITH due AS (
        SELECT file_moves.key, files.user_id FROM file_moves
        LEFT JOIN files ON files.id = file_id AND state = 'READY' AND deleted_at IS NULL
        WHERE due_at <= ${now}::timestamptz OR (files.id IS NULL AND removed_at IS NULL)
        ORDER BY due_at LIMIT ${limit}::int
        FOR UPDATE OF file_moves SKIP LOCKED
      )
      UPDATE file_moves SET due_at = ${retryAt}::timestamptz FROM due WHERE file_moves.key = due.key
      RETURNING file_moves.key, file_id AS "fileId", visibility, upload_id AS "uploadId", removed_at AS "removedAt",
        due.user_id AS "userId"`,

    async recordMoveRemoval(key, at, again) {
      if (again === null) await sql.run<'dropFileMove'>`DELETE FROM file_moves WHERE key = ${key}`
      else
        await sql.run<'recordFileMoveRemoval'>`
          UPDATE file_moves SET visibility = NULL, removed_at = COALESCE(removed_at, ${at}::timestamptz),
            due_at = ${again}::timestamptz, failing_since = NULL
          WHERE key = ${key}`
    },

    recordMoveFailure: (key, at) => sql.write<'recordFileMoveFailure'>`
      UPDATE file_moves SET failing_since = COALESCE(failing_since, ${at}::timestamptz) WHERE key = ${key}`,
  }
}

/** Returns true if there are READY files without a visibility, which are public below files/. */
export async function hasEarlierPublicFiles({ sql }: Pick<Db, 'sql'>): Promise<boolean> {
  const [row] = await sql.rows<'hasEarlierPublicFiles'>`
    SELECT EXISTS (
      SELECT FROM files WHERE visibility IS NULL AND state = 'READY' AND deleted_at IS NULL
    ) AS found`
  return row!.found ?? false
}
