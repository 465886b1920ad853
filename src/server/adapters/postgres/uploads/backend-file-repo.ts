import type { BackendFileRepo } from '../../../domain/uploads/backend-files.ts'
import { LAST_ID } from '../../../kernel/ids.ts'
import type { Db } from '../db.ts'
import type { Sql } from '../sql.ts'

export function createBackendFileRepo({ sql, planned }: Pick<Db, 'sql' | 'planned'>): BackendFileRepo {
  const findAll = (ids: string[]) => sql.rows<'findBackendFiles'>`
    SELECT f.id, f.user_id AS "userId", u.external_id AS "externalId",
      coalesce(u.email, u.claimed_email, u.display_email) AS "userEmail", u.name AS "userName", f.filename,
      f.mime_type AS "mimeType", f.size_bytes::float8 AS size, f.state, f.key, f.created_at AS "createdAt", f.ready_at AS "readyAt",
      f.expires_at AS "expiresAt", f.policy, f.data, f.visibility
    FROM files f JOIN users u ON u.id = f.user_id
    WHERE f.id = ANY (${ids}::uuid[]) AND f.deleted_at IS NULL
    ORDER BY f.id DESC`

  return {
    list: async (search) => findAll((await listBackendFileIds(planned, search)).map(({ id }) => id)),
    find: async (id) => (await findAll([id]))[0] ?? null,
  }
}

/**
 * Lists the IDs of a page. Lists by a value in `data`, by user, by a state other than READY or by policy have few rows.
 * Only the list of all files is long, and nearly every file in it is READY. A search for a name reads the others' rows,
 * because an index for it would slow down every upload.
 */
export function listBackendFileIds(
  planned: Sql,
  { userId, policy, state, query, data, beforeId = LAST_ID, limit }: Parameters<BackendFileRepo['list']>[0],
): Promise<{ id: string }[]> {
  // Materialized: otherwise PostgreSQL could read all files, newest first, in search of a rare value.
  if (data !== null)
    return planned.rows<'listBackendFilesWithData'>`
      WITH found AS MATERIALIZED (
        SELECT id FROM files
        WHERE (data @> ${JSON.stringify(data[0])}::jsonb OR data @> ${JSON.stringify(data[1])}::jsonb) AND deleted_at IS NULL
          AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)
          AND (${policy}::text IS NULL OR policy = ${policy}::text)
          AND (${state}::file_state IS NULL OR state = ${state}::file_state)
          AND (${query}::text IS NULL
            OR position(lower(normalize(${query}::text)) IN lower(normalize(filename))) > 0)
      )
      SELECT id FROM found WHERE id < ${beforeId}::uuid ORDER BY id DESC LIMIT ${limit}::int`
  return planned.rows<'listBackendFiles'>`
    SELECT id FROM files
    WHERE id < ${beforeId}::uuid AND deleted_at IS NULL
      AND (${userId}::uuid IS NULL OR user_id = ${userId}::uuid)
      AND (${policy}::text IS NULL OR policy = ${policy}::text)
      AND (${state}::file_state IS NULL OR state = ${state}::file_state)
      AND (${query}::text IS NULL
        OR position(lower(normalize(${query}::text)) IN lower(normalize(filename))) > 0)
    ORDER BY id DESC LIMIT ${limit}::int`
}
