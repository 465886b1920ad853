import type { FilePage, ListedFile } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'

/** A page of the user's files. */
export function listFiles(db: Db, userId: string, page: FilePage): Promise<ListedFile[]> {
  const { sort, words, mimeTypes } = page
  return sort === 'newest' && words.length === 0 && mimeTypes === null
    ? newest(db, userId, page)
    : filtered(db, userId, page)
}

/** Sorts after every id. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Reads no more rows than it returns. */
function newest(db: Db, userId: string, { after, endedAfter, limit }: FilePage): Promise<ListedFile[]> {
  return db.sql.rows<ListedFile>`
    SELECT id, filename, mime_type AS "mimeType", size_bytes::float8 AS size, key, state::text,
      thumbnail_bytes AS "thumbnailBytes", created_at AS "createdAt"
    FROM files
    WHERE user_id = ${userId}::uuid AND id < ${after?.id ?? LAST_ID}::uuid AND deleted_at IS NULL
      AND (ended_at IS NULL OR ended_at > ${endedAfter})
    ORDER BY id DESC LIMIT ${limit}::int`
}

/**
 * Reads all rows of the user. Indexes for each order would make every upload dearer.
 * Names are compared by code point in lower case, and searched in composed form (NFC): macOS decomposes them.
 */
function filtered(
  db: Db,
  userId: string,
  { sort, after, words, mimeTypes, endedAfter, limit }: FilePage,
): Promise<ListedFile[]> {
  return db.sql.rows<ListedFile>`
    SELECT id, filename, mime_type AS "mimeType", size_bytes::float8 AS size, key, state::text,
      thumbnail_bytes AS "thumbnailBytes", created_at AS "createdAt"
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
