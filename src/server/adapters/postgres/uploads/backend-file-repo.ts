import type { BackendFileRepo } from '../../../domain/uploads/backend-files.ts'
import type { Db } from '../db.ts'
import { LAST_ID } from './file-list.ts'

/**
 * Each list reads only the rows that it returns, by an index: the user's files, files in a state other than READY (few),
 * or all files. In the last list, nearly every file is READY.
 */
export function createBackendFileRepo({ sql }: Pick<Db, 'sql'>): BackendFileRepo {
  return {
    list({ userId, state, beforeId = LAST_ID, limit }) {
      if (userId !== null)
        return sql.rows<'listBackendFilesOfUser'>`
          SELECT f.id, f.user_id AS "userId", u.external_id AS "externalId", f.filename, f.mime_type AS "mimeType",
            f.size_bytes::float8 AS size, f.state, f.key, f.created_at AS "createdAt", f.ready_at AS "readyAt",
            f.expires_at AS "expiresAt", f.policy, f.data, f.visibility
          FROM files f JOIN users u ON u.id = f.user_id
          WHERE f.user_id = ${userId}::uuid AND f.id < ${beforeId}::uuid AND f.deleted_at IS NULL
            AND (${state}::file_state IS NULL OR f.state = ${state}::file_state)
          ORDER BY f.id DESC LIMIT ${limit}::int`
      if (state !== null && state !== 'READY')
        return sql.rows<'listBackendFilesInState'>`
          SELECT f.id, f.user_id AS "userId", u.external_id AS "externalId", f.filename, f.mime_type AS "mimeType",
            f.size_bytes::float8 AS size, f.state, f.key, f.created_at AS "createdAt", f.ready_at AS "readyAt",
            f.expires_at AS "expiresAt", f.policy, f.data, f.visibility
          FROM files f JOIN users u ON u.id = f.user_id
          WHERE f.state = ${state}::file_state AND f.state <> 'READY' AND f.id < ${beforeId}::uuid
            AND f.deleted_at IS NULL
          ORDER BY f.id DESC LIMIT ${limit}::int`
      return sql.rows<'listBackendFiles'>`
        SELECT f.id, f.user_id AS "userId", u.external_id AS "externalId", f.filename, f.mime_type AS "mimeType",
          f.size_bytes::float8 AS size, f.state, f.key, f.created_at AS "createdAt", f.ready_at AS "readyAt",
          f.expires_at AS "expiresAt", f.policy, f.data, f.visibility
        FROM files f JOIN users u ON u.id = f.user_id
        WHERE f.id < ${beforeId}::uuid AND f.deleted_at IS NULL
          AND (${state}::file_state IS NULL OR f.state = ${state}::file_state)
        ORDER BY f.id DESC LIMIT ${limit}::int`
    },

    async find(id) {
      const [file] = await sql.rows<'findBackendFile'>`
        SELECT f.id, f.user_id AS "userId", u.external_id AS "externalId", f.filename, f.mime_type AS "mimeType",
          f.size_bytes::float8 AS size, f.state, f.key, f.created_at AS "createdAt", f.ready_at AS "readyAt",
          f.expires_at AS "expiresAt", f.policy, f.data, f.visibility
        FROM files f JOIN users u ON u.id = f.user_id
        WHERE f.id = ${id}::uuid AND f.deleted_at IS NULL`
      return file ?? null
    },
  }
}
