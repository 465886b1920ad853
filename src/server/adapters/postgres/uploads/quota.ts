import type { NewFile, UploadRepo, UserLimits } from '../../../domain/uploads/upload-repo.ts'
import { createFairSemaphore } from '../../../kernel/fair-semaphore.ts'
import { createBatch } from '../batch.ts'
import type { Db } from '../db.ts'
import { databaseErrorCode } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { fileRecord } from './file-record.ts'

/** PostgreSQL's code. */
const UNIQUE_VIOLATION = '23505'

/** Reserves and reads quota. Single statements take 150 to 190 µs of CPU; a transaction of Prisma would take 800 to 1,000. */
export function quota(db: Db) {
  const reserveTogether = createBatch((reservations: ReservationRequest[]) =>
    reserveMany(db.retrying, reservations),
  )
  /** One transaction per token and process, so that waiting for the owner's row does not use up the connections. */
  const inTurn = createFairSemaphore({ maxConcurrentPerKey: 1 })
  const findUsage = createBatch(async (userIds: string[]) => {
    const rows = await db.sql.rows<'findUsage'>`
      SELECT id, used_bytes, reserved_bytes, quota_bytes, open_uploads,
        email_verified_at IS NULL AND external_issuer IS NULL AS unverified
      FROM users WHERE id = ANY (${userIds}::uuid[]) AND deleted_at IS NULL`
    const found = new Map(rows.map((row) => [row.id, row]))
    return userIds.map((id) => found.get(id))
  })
  const findByKey = (userId: string, key: string) => db.sql.row<'findFileByKey'>`
    SELECT * FROM files WHERE user_id = ${userId}::uuid AND idempotency_key = ${key}`

  return {
    async reserve(file, limits) {
      const reservation = { file, limits }
      try {
        const reserved = limits.token
          ? await inTurn(limits.token.tokenId, () => reserveOfToken(db, reservation))
          : (await reserveTogether(reservation)) || (await reserveOne(db.retrying, reservation))
        if (reserved) return { outcome: 'reserved' }
      } catch (error) {
        // The failed statement has reserved nothing. Only the idempotency key can exist already: all other values are new.
        if (databaseErrorCode(error) !== UNIQUE_VIOLATION) throw error
      }
      const known = file.idempotencyKey && (await findByKey(file.userId, file.idempotencyKey))
      return known ? { outcome: 'known', file: fileRecord(known) } : { outcome: 'rejected' }
    },

    async countPolicyFiles(userId, policy) {
      const [row] = await db.sql.rows<'countPolicyFiles'>`
        SELECT count_policy_files(${userId}::uuid, ${policy})::int AS files`
      return row!.files ?? 0
    },

    async tokenUsage(tokenId) {
      const [usage] = await db.sql.rows<'findTokenUsage'>`
        SELECT count(*)::int AS files, coalesce(sum(size_bytes), 0)::float8 AS bytes FROM files
        WHERE upload_token_id = ${tokenId}::uuid AND state IN ('PENDING', 'UPLOADING', 'HELD', 'READY')`
      return { files: usage?.files ?? 0, bytes: usage?.bytes ?? 0 }
    },

    freeIdempotencyKey: (id) =>
      db.sql.write<'freeIdempotencyKey'>`UPDATE files SET idempotency_key = NULL WHERE id = ${id}::uuid`,

    /** Also ends an expired lease, because its holder has read the earlier time. */
    extendUrl: (id, urlExpiresAt) => db.sql.wrote<'extendUrl'>`
      UPDATE files SET url_expires_at = ${urlExpiresAt}::timestamptz, lease_id = NULL, leased_until = NULL
      WHERE id = ${id}::uuid AND state = 'PENDING' AND deleted_at IS NULL
        AND (leased_until IS NULL OR leased_until < now())`,

    async usage(userId, { quotaBytes, verifiedOnly }) {
      const user = await findUsage(userId)
      if (!user) return null
      const mustVerify = verifiedOnly && user.unverified
      return {
        used: Number(user.used_bytes),
        reserved: Number(user.reserved_bytes),
        quota: mustVerify ? 0 : Number(user.quota_bytes ?? quotaBytes),
        unfinishedUploads: user.open_uploads,
        mustVerify,
      }
    },

    attachUpload: (id, uploadId, expiresAt) => db.sql.wrote<'attachUpload'>`
      UPDATE files SET upload_id = ${uploadId}, expires_at = ${expiresAt}::timestamptz
      WHERE id = ${id}::uuid AND state = 'UPLOADING' AND upload_id IS NULL
        AND (leased_until IS NULL OR leased_until < now())`,

    abandonInitiation: (id, now) => db.sql.write<'abandonInitiation'>`
      WITH old AS (
        SELECT id, user_id, reserved_bytes FROM files
        WHERE id = ${id}::uuid AND state = 'UPLOADING' AND upload_id IS NULL
          AND (leased_until IS NULL OR leased_until < now())
        FOR UPDATE
      ), ended AS (
        UPDATE files SET state = 'ABORTED', reserved_bytes = 0, expires_at = NULL,
          ended_at = ${now}::timestamptz, deleted_at = ${now}::timestamptz, cleanup_after = ${now}::timestamptz
        FROM old WHERE files.id = old.id
      )
      UPDATE users SET reserved_bytes = users.reserved_bytes - old.reserved_bytes,
        open_uploads = GREATEST(users.open_uploads - 1, 0)
      FROM old WHERE users.id = old.user_id`,
  } satisfies Partial<UploadRepo>
}

type ReservationRequest = { file: NewFile; limits: UserLimits }

/**
 * Reserves quota and inserts the file. Returns false if the file does not fit or the user does not exist. The UPDATE
 * locks the owner's row, so a concurrent reservation waits and then checks against the new sums and numbers of files.
 */
async function reserveOne(
  sql: Sql,
  { file, limits: { quotaBytes, unfinishedUploads, verifiedOnly, policyFiles, token } }: ReservationRequest,
): Promise<boolean> {
  return sql.wrote<'reserveOne'>`
    WITH owner AS (
      UPDATE users SET reserved_bytes = reserved_bytes + ${file.size}::bigint, open_uploads = open_uploads + 1
      WHERE id = ${file.userId}::uuid AND deleted_at IS NULL
        AND used_bytes + reserved_bytes + ${file.size}::bigint <= COALESCE(quota_bytes, ${quotaBytes}::bigint)
        AND (NOT ${verifiedOnly}::boolean OR email_verified_at IS NOT NULL OR external_issuer IS NOT NULL)
        AND open_uploads < ${unfinishedUploads}::int
        AND CASE WHEN ${policyFiles}::int IS NULL THEN true
          ELSE count_policy_files(id, ${file.policy}) < ${policyFiles}::int END
        AND (${token?.tokenId ?? null}::uuid IS NULL OR EXISTS (
          SELECT FROM files WHERE upload_token_id = ${token?.tokenId ?? null}::uuid
            AND state IN ('PENDING', 'UPLOADING', 'HELD', 'READY')
          HAVING count(*) < coalesce(${token?.maxFiles ?? null}::bigint, 9223372036854775807)
            AND coalesce(sum(size_bytes), 0) + ${file.size}::bigint
              <= coalesce(${token?.maxBytes ?? null}::bigint, 9223372036854775807)))
      RETURNING id
    )
    INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state,
      total_parts, part_size, url_expires_at, expires_at, created_at, idempotency_key, policy, data,
      upload_token_id, visibility)
    SELECT ${file.id}::uuid, owner.id, ${file.filename}, ${file.mimeType}, ${file.size}::bigint,
      ${file.size}::bigint, ${file.key}, ${file.state}::file_state, ${file.totalParts}::int,
      ${file.partSize}::bigint, ${file.urlExpiresAt}::timestamptz, ${file.expiresAt}::timestamptz,
      ${file.createdAt}::timestamptz, ${file.idempotencyKey}, ${file.policy},
      ${file.data && JSON.stringify(file.data)}::jsonb, ${token?.tokenId ?? null}::uuid,
      ${file.visibility}::file_visibility
    FROM owner`
}

/**
 * Does the same for a file of a token with limits, in a transaction that locks the owner's row first. A statement counts
 * only what was committed before it began. Without the lock, concurrent statements would miss each other's files.
 */
function reserveOfToken(db: Db, reservation: ReservationRequest): Promise<boolean> {
  return db.sqlTransaction(async (sql) => {
    await sql.rows<'lockOwner'>`
      SELECT id FROM users WHERE id = ${reservation.file.userId}::uuid FOR NO KEY UPDATE`
    return reserveOne(sql, reservation)
  })
}

/**
 * Reserves many files in one statement: all files of a user or none. After false, call `reserveOne`: single files may
 * still fit, or another statement may have locked the owner's row, for which this one does not wait.
 */
async function reserveMany(sql: Sql, reservations: ReservationRequest[]): Promise<boolean[]> {
  const sums = [...Map.groupBy(reservations, ({ file }) => file.userId)].map(([userId, own]) => ({
    user_id: userId,
    bytes: own.reduce((sum, { file }) => sum + file.size, 0),
    files: own.length,
    quota_bytes: Math.min(...own.map(({ limits }) => limits.quotaBytes)),
    open_uploads: Math.min(...own.map(({ limits }) => limits.unfinishedUploads)),
    verified_only: own.some(({ limits }) => limits.verifiedOnly),
    policies: limitedPolicies(own),
  }))
  const inserted = await sql.rows<'reserveMany'>`
    WITH unlocked AS (
      SELECT id FROM users WHERE id = ANY (${sums.map((s) => s.user_id)}::uuid[]) FOR NO KEY UPDATE SKIP LOCKED),
    owner AS (
      UPDATE users u SET reserved_bytes = reserved_bytes + s.bytes, open_uploads = u.open_uploads + s.files
      FROM jsonb_to_recordset(${JSON.stringify(sums)}::jsonb)
          AS s (user_id uuid, bytes bigint, files int, quota_bytes bigint, open_uploads int, verified_only boolean, policies jsonb)
        JOIN unlocked ON unlocked.id = s.user_id
      WHERE u.id = s.user_id AND u.deleted_at IS NULL
        AND u.used_bytes + u.reserved_bytes + s.bytes <= COALESCE(u.quota_bytes, s.quota_bytes)
        AND u.open_uploads + s.files <= s.open_uploads
        AND (NOT s.verified_only OR u.email_verified_at IS NOT NULL OR u.external_issuer IS NOT NULL)
        AND CASE WHEN s.policies IS NULL THEN true ELSE NOT EXISTS (
          SELECT FROM jsonb_to_recordset(s.policies) AS p (policy text, files int, max int)
          WHERE count_policy_files(u.id, p.policy) + p.files > p.max) END
      RETURNING u.id)
    INSERT INTO files (id, user_id, filename, mime_type, size_bytes, reserved_bytes, key, state,
      total_parts, part_size, url_expires_at, expires_at, created_at, idempotency_key, policy, data, visibility)
    SELECT f.id, owner.id, f.filename, f."mimeType", f.size, f.size, f.key, f.state,
      f."totalParts", f."partSize", f."urlExpiresAt", f."expiresAt", f."createdAt", f."idempotencyKey",
      f.policy, f.data, f.visibility
    FROM jsonb_to_recordset(${JSON.stringify(reservations.map(({ file }) => file))}::jsonb)
      AS f (id uuid, "userId" uuid, filename text, "mimeType" text, size bigint, key text, state file_state,
        "totalParts" int, "partSize" bigint, "urlExpiresAt" timestamptz, "expiresAt" timestamptz,
        "createdAt" timestamptz, "idempotencyKey" text, policy text, data jsonb,
        visibility file_visibility)
      JOIN owner ON owner.id = f."userId"
    RETURNING id`
  const done = new Set(inserted.map(({ id }) => id))
  return reservations.map(({ file }) => done.has(file.id))
}

/** Returns the number of new files for each policy that limits a user's files, or undefined if there is none. */
function limitedPolicies(own: ReservationRequest[]) {
  const limited = own.filter(({ limits }) => limits.policyFiles !== null)
  if (limited.length === 0) return undefined
  return [...Map.groupBy(limited, ({ file }) => file.policy)].map(([policy, files]) => ({
    policy,
    files: files.length,
    max: Math.min(...files.map(({ limits }) => limits.policyFiles!)),
  }))
}
