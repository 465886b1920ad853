import type { FilePage, ListedFile, UploadRepo } from '../../../domain/uploads/upload-repo.ts'
import { LAST_ID } from '../../../kernel/ids.ts'
import type { Db } from '../db.ts'

/**
 * `OFFSET 0` keeps PostgreSQL from hashing the links of all users. Names are searched in lower case and in composed form (NFC), because macOS
 * decomposes them.
 */
export function fileList({ sql }: Pick<Db, 'sql'>): Pick<UploadRepo, 'list' | 'totals'> {
  return {
    list: (userId, page) =>
      page.sort === 'newest' && page.words.length === 0 && page.mimeTypes === null
        ? newest(userId, page)
        : filtered(userId, page),

    /** Reads all files of the user. */
    totals: (userId, { words, mimeTypes }) => sql.rows<'fileTotals'>`
      SELECT mime_type AS "mimeType", count(*)::int AS files, sum(used_bytes)::float8 AS bytes FROM files
      WHERE user_id = ${userId}::uuid AND deleted_at IS NULL AND state = 'READY'
        AND (${mimeTypes}::text[] IS NULL OR mime_type = ANY(${mimeTypes}::text[]))
        AND NOT EXISTS (
          SELECT FROM unnest(${words}::text[]) AS word
          WHERE position(lower(normalize(word)) IN lower(normalize(filename))) = 0)
      GROUP BY mime_type
      ORDER BY bytes DESC, mime_type`,
  }

  /** Reads only the rows that it returns. */
  function newest(userId: string, { after, endedAfter, now, limit }: FilePage): Promise<ListedFile[]> {
    return sql.rows<'listNewestFiles'>`
      SELECT id, filename, mime_type AS "mimeType", size_bytes::float8 AS size, key, state,
        thumbnail_bytes AS "thumbnailBytes", policy, data, visibility, created_at AS "createdAt",
        EXISTS (
          SELECT FROM shares
          WHERE file_id = files.id AND revoked_at IS NULL AND shares.expires_at > ${now}::timestamptz
          OFFSET 0) AS shared
      FROM files
      WHERE user_id = ${userId}::uuid AND id < ${after?.id ?? LAST_ID}::uuid AND deleted_at IS NULL
        AND (ended_at IS NULL OR ended_at > ${endedAfter})
      ORDER BY id DESC LIMIT ${limit}::int`
  }

  /** Reads all rows of the user, because an index for each order would slow down every upload. Names sort by code point. */
  function filtered(userId: string, { sort, after, words, mimeTypes, endedAfter, now, limit }: FilePage) {
    return sql.rows<'listFilteredFiles'>`
      SELECT id, filename, mime_type AS "mimeType", size_bytes::float8 AS size, key, state,
        thumbnail_bytes AS "thumbnailBytes", policy, data, visibility, created_at AS "createdAt",
        EXISTS (
          SELECT FROM shares
          WHERE file_id = files.id AND revoked_at IS NULL AND shares.expires_at > ${now}::timestamptz
          OFFSET 0) AS shared
      FROM files, (SELECT ${sort}::text AS sort) AS by
      WHERE user_id = ${userId}::uuid AND deleted_at IS NULL
        AND (ended_at IS NULL OR ended_at > ${endedAfter})
        AND (${mimeTypes}::text[] IS NULL OR mime_type = ANY(${mimeTypes}::text[]))
        AND NOT EXISTS (
          SELECT FROM unnest(${words}::text[]) AS word
          WHERE position(lower(normalize(word)) IN lower(normalize(filename))) = 0)
        AND CASE WHEN ${after?.id ?? null}::uuid IS NULL THEN true ELSE CASE sort
          WHEN 'newest' THEN id < ${after?.id ?? null}::uuid
          WHEN 'oldest' THEN id > ${after?.id ?? null}::uuid
          WHEN 'largest' THEN (size_bytes, id) < (${after?.size ?? null}::bigint, ${after?.id ?? null}::uuid)
          WHEN 'name' THEN (lower(filename) COLLATE "C", id) >
            (lower(${after?.filename ?? null}::text) COLLATE "C", ${after?.id ?? null}::uuid)
        END END
      ORDER BY
        CASE sort WHEN 'largest' THEN size_bytes END DESC,
        CASE sort WHEN 'name' THEN lower(filename) END COLLATE "C",
        CASE WHEN sort IN ('name', 'oldest') THEN id END,
        id DESC
      LIMIT ${limit}::int`
  }
}
