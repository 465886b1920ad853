import type { NewFile, UserLimits } from '../../../domain/uploads/upload-repo.ts'
import type { Sql } from '../sql.ts'

type ReservationRequest = { file: NewFile; limits: UserLimits }

/**
 * Reserves quota and inserts the file. Returns false if the file does not fit or the user does not exist. The UPDATE
 * locks the owner's row, so a concurrent reservation waits and then checks against the new sums.
 */
export async function reserveOne(
  sql: Sql,
  { file, limits: { quotaBytes, unfinishedUploads, verifiedOnly } }: ReservationRequest,
): Promise<boolean> {
  const inserted = await sql.run<'reserveOne'>`
    WITH owner AS (
      UPDATE users SET reserved_bytes = reserved_bytes + ${file.size}::bigint, open_uploads = open_uploads + 1
      WHERE id = ${file.userId}::uuid AND deleted_at IS NULL
        AND used_bytes + reserved_bytes + ${file.size}::bigint <= COALESCE(quota_bytes, ${quotaBytes}::bigint)
        AND (NOT ${verifiedOnly}::boolean OR email_verified_at IS NOT NULL OR external_issuer IS NOT NULL)
        AND open_uploads < ${unfinishedUploads}::int
      RETURNING id
    )
    INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state,
      total_parts, part_size, url_expires_at, expires_at, created_at, idempotency_key)
    SELECT ${file.id}::uuid, owner.id, ${file.filename}, ${file.mimeType}, ${file.size}::bigint,
      ${file.size}::bigint, ${file.key}, ${file.state}::file_state, ${file.totalParts}::int,
      ${file.partSize}::bigint, ${file.urlExpiresAt}::timestamptz, ${file.expiresAt}::timestamptz,
      ${file.createdAt}::timestamptz, ${file.idempotencyKey}
    FROM owner`
  return inserted === 1
}

/**
 * Reserves many files in one statement: all files of a user or none. After false, call `reserveOne`: the files may only
 * not fit together, or another statement may have locked the owner's row, for which this one does not wait.
 */
export async function reserveMany(sql: Sql, reservations: ReservationRequest[]): Promise<boolean[]> {
  const sums = [...Map.groupBy(reservations, ({ file }) => file.userId)].map(([userId, own]) => ({
    user_id: userId,
    bytes: own.reduce((sum, { file }) => sum + file.size, 0),
    files: own.length,
    quota_bytes: Math.min(...own.map(({ limits }) => limits.quotaBytes)),
    open_uploads: Math.min(...own.map(({ limits }) => limits.unfinishedUploads)),
    verified_only: own.some(({ limits }) => limits.verifiedOnly),
  }))
  const inserted = await sql.rows<'reserveMany'>`
    WITH unlocked AS (
      SELECT id FROM users WHERE id = ANY (${sums.map((s) => s.user_id)}::uuid[]) FOR NO KEY UPDATE SKIP LOCKED),
    owner AS (
      UPDATE users u SET reserved_bytes = reserved_bytes + s.bytes, open_uploads = u.open_uploads + s.files
      FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb)
          AS s (user_id uuid, bytes bigint, files int, quota_bytes bigint, open_uploads int, verified_only boolean)
        JOIN unlocked ON unlocked.id = s.user_id
      WHERE u.id = s.user_id AND u.deleted_at IS NULL
        AND u.used_bytes + u.reserved_bytes + s.bytes <= COALESCE(u.quota_bytes, s.quota_bytes)
        AND u.open_uploads + s.files <= s.open_uploads
        AND (NOT s.verified_only OR u.email_verified_at IS NOT NULL OR u.external_issuer IS NOT NULL)
      RETURNING u.id)
    INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state,
      total_parts, part_size, url_expires_at, expires_at, created_at, idempotency_key)
    SELECT f.id, owner.id, f.filename, f."mimeType", f.size, f.size, f.key, f.state,
      f."totalParts", f."partSize", f."urlExpiresAt", f."expiresAt", f."createdAt", f."idempotencyKey"
    FROM jsonb_to_recordset(${JSON.stringify(reservations.map(({ file }) => file))}::jsonb)
      AS f (id uuid, "userId" uuid, filename text, "mimeType" text, size bigint, key text, state file_state,
        "totalParts" int, "partSize" bigint, "urlExpiresAt" timestamptz, "expiresAt" timestamptz,
        "createdAt" timestamptz, "idempotencyKey" text)
      JOIN owner ON owner.id = f."userId"
    RETURNING id`
  const done = new Set(inserted.map(({ id }) => id))
  return reservations.map(({ file }) => done.has(file.id))
}
