import type { NewFile, UserLimits } from '../../upload/ports.ts'
import type { Sql } from '../postgres/sql.ts'

export type ReservationRequest = { file: NewFile; limits: UserLimits }

/**
 * Reserves quota and inserts the file. False: it does not fit, or there is no such user. The UPDATE locks the owner's
 * row: a concurrent one waits, then checks against the new sums.
 */
export async function reserveOne(
  sql: Sql,
  { file, limits: { quotaBytes, unfinishedUploads, verifiedOnly } }: ReservationRequest,
): Promise<boolean> {
  const inserted = await sql.run`
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
 * The same for many files in one statement, all those of a user or none. False says nothing: they may not fit together,
 * or somebody else has the owner's row locked, whom the others do not wait for. `reserveOne` tells.
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
  const inserted = await sql.rows<{ id: string }>`
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
    SELECT f.id, owner.id, f.filename, f.mime_type, f.size_bytes, f.size_bytes, f.key, f.state,
      f.total_parts, f.part_size, f.url_expires_at, f.expires_at, f.created_at, f.idempotency_key
    FROM jsonb_to_recordset(${JSON.stringify(reservations.map(fileRow))}::jsonb)
      AS f (id uuid, user_id uuid, filename text, mime_type text, size_bytes bigint, key text, state file_state,
        total_parts int, part_size bigint, url_expires_at timestamptz, expires_at timestamptz,
        created_at timestamptz, idempotency_key text)
      JOIN owner ON owner.id = f.user_id
    RETURNING id`
  const done = new Set(inserted.map(({ id }) => id))
  return reservations.map(({ file }) => done.has(file.id))
}

function fileRow({ file }: ReservationRequest) {
  return {
    id: file.id,
    user_id: file.userId,
    filename: file.filename,
    mime_type: file.mimeType,
    size_bytes: file.size,
    key: file.key,
    state: file.state,
    total_parts: file.totalParts,
    part_size: file.partSize,
    url_expires_at: file.urlExpiresAt,
    expires_at: file.expiresAt,
    created_at: file.createdAt,
    idempotency_key: file.idempotencyKey,
  }
}
