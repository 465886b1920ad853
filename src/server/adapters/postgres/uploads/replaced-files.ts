import type { FileRecord } from '../../../domain/uploads/file-record.ts'
import type { Db } from '../db.ts'
import type { Row, Sql } from '../sql.ts'
import { fileRecord } from './file-record.ts'

/** Keeps each statement far below the time limit, because a trigger runs for each file. */
export const REPLACED_PER_STATEMENT = 2_000

/** Ready files of a user with a policy, of which at most `maxFiles` stay. */
type Replacement = {
  userId: string
  policy: string
  maxFiles: number
  at: Date
  /** True: the newest upload stays, even if others became ready later. */
  newestUploadStays: boolean
}

/**
 * Deletes the files that became ready first, but at most REPLACED_PER_STATEMENT. The caller's transaction must have locked
 * the user's row in an earlier statement, so that this sees what others committed before.
 */
export async function replaceSome(sql: Sql, replacement: Replacement): Promise<FileRecord[]> {
  const { userId, policy, maxFiles, at, newestUploadStays } = replacement
  const rows = await sql.rows<'replaceSomeFiles'>`
    SELECT replaced.* FROM (
      SELECT count(*)::int AS files, CASE WHEN ${newestUploadStays}::bool THEN (array_agg(id ORDER BY id DESC))[1] END AS kept
      FROM files
      WHERE user_id = ${userId}::uuid AND policy = ${policy} AND state = 'READY' AND deleted_at IS NULL AND ended_at IS NULL
    ) AS ready
    CROSS JOIN LATERAL delete_replaced_files(${userId}::uuid, ${policy},
      coalesce(ready.kept, '00000000-0000-0000-0000-000000000000'),
      GREATEST(${maxFiles}::int, ready.files - ${REPLACED_PER_STATEMENT}::int) - num_nonnulls(ready.kept),
      ${at}::timestamptz) AS replaced`
  return (rows as Row<'findFiles'>[]).map(fileRecord)
}

/** Deletes the other files if the number of replaced files reached the limit of a statement. Each batch commits. */
export async function replaceRest(db: Db, replaced: FileRecord[], replacement: Replacement): Promise<void> {
  let count = replaced.length
  while (count >= REPLACED_PER_STATEMENT)
    count = await db.repeatableSql(async (sql) => {
      await sql.run<'lockReplacedOwner'>`SELECT id FROM users WHERE id = ${replacement.userId}::uuid FOR NO KEY UPDATE`
      return (await replaceSome(sql, replacement)).length
    })
}
