import type { FilePage, FileRecord } from '../../upload/ports.ts'
import type { Db } from '../postgres/db.ts'
import { type FileRow, fileRecord, fileRecordOfRow } from './file-record.ts'

/** A page of the user's files. */
export async function listFiles(db: Db, userId: string, page: FilePage): Promise<FileRecord[]> {
  const { sort, words, mimeTypes } = page
  return sort === 'newest' && words.length === 0 && mimeTypes === null
    ? newest(db, userId, page)
    : filtered(db, userId, page)
}

/** Reads no more rows than it returns. */
async function newest(db: Db, userId: string, { after, endedAfter, limit }: FilePage): Promise<FileRecord[]> {
  const files = await db.file.findMany({
    where: {
      userId,
      deletedAt: null,
      ...(after && { id: { lt: after.id } }),
      OR: [{ endedAt: null }, { endedAt: { gt: endedAfter } }],
    },
    orderBy: { id: 'desc' },
    take: limit,
  })
  return files.map(fileRecord)
}

/**
 * Reads all rows of the user. Indexes for each order would make every upload dearer.
 * Names are compared by code point in lower case, and searched in composed form (NFC): macOS decomposes them.
 */
async function filtered(
  db: Db,
  userId: string,
  { sort, after, words, mimeTypes, endedAfter, limit }: FilePage,
): Promise<FileRecord[]> {
  const rows = await db.sql.rows<FileRow>`
    SELECT f.* FROM files f, (SELECT ${sort}::text AS sort) AS by
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
  return rows.map(fileRecordOfRow)
}
