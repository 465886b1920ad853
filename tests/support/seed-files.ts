// Inserts many files of a user into the database: rows without bytes, for lists.

import pg from 'pg'

const SECONDS_APART = 60
/** A sheet with lines. Pages would download a PDF without a thumbnail, to create one. */
export const THUMBNAIL = Buffer.from(
  'UklGRqwAAABXRUJQVlA4IKAAAACwBwCdASokADAAPt1apE2opSOiNUgBEBuJZwAV47NAZQCbAMkd/oPEF/ZD8/jXTsLcV1OqFc/XN28/NJJV28y8I7s6tZYAAP7CsxssPM8rlEfU/xjG17rMHq10OpB2dlHRD36Cl0VbpFZEDkbbw2WM9idH7RuyUxvzl0SrKz/tp4gBYBa8vZgBiAZvpTrlzTnMUCfpB2deXyzW3r3CsAAA',
  'base64',
)

/**
 * Adds ready PDFs `report 00001.pdf` and so on, each a minute older and a byte larger than the previous one. Their IDs
 * sort by age, like those of uploads.
 */
export async function seedFiles(databaseUrl: string, userId: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    await client.query(
      `INSERT INTO files (id, user_id, filename, mime_type, size_bytes, used_bytes, thumbnail_bytes, key, state, created_at, ready_at)
       SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || substr(md5($1 || n), 1, 3)
           || '8' || substr(md5($1 || n), 4, 15))::uuid,
         $1::uuid, 'report ' || lpad(n::text, greatest(5, length(n::text)), '0') || '.pdf', 'application/pdf', 1000 + n, 1000 + n + $4::int, $4::int,
         'files/' || $1 || '/seeded-' || gen_random_uuid() || '/report.pdf', 'READY', at, at
       FROM (SELECT n, date_trunc('second', now()) - n * make_interval(secs => $3) AS at
             FROM generate_series(1, $2::int) AS n) AS files`,
      [userId, count, SECONDS_APART, THUMBNAIL.length],
    )
    await client.query(
      `INSERT INTO file_thumbnails (file_id, webp) SELECT id, $2::bytea FROM files
       WHERE user_id = $1 AND key LIKE '%/seeded-%' ON CONFLICT DO NOTHING`,
      [userId, THUMBNAIL],
    )
    await client.query(
      `UPDATE users SET used_bytes = (SELECT sum(used_bytes) FROM files WHERE user_id = $1) WHERE id = $1`,
      [userId],
    )
  } finally {
    await client.end()
  }
}

/** Makes the user's newest file HELD. `query` runs a statement in the database. */
export async function holdNewestFile(
  query: (sql: string, values: unknown[]) => Promise<unknown>,
  userId: string,
): Promise<void> {
  await query(
    `WITH newest AS (
       SELECT id, used_bytes FROM files WHERE user_id = $1 ORDER BY id DESC LIMIT 1
     ), held AS (
       UPDATE files SET state = 'HELD', reserved_bytes = size_bytes, used_bytes = 0, thumbnail_bytes = 0, ready_at = NULL
       FROM newest WHERE files.id = newest.id
       RETURNING user_id, newest.used_bytes AS used, reserved_bytes AS reserved)
     UPDATE users SET used_bytes = used_bytes - used, reserved_bytes = reserved_bytes + reserved
     FROM held WHERE id = user_id`,
    [userId],
  )
}
