import { userActor } from '../../audit.ts'
import type { OwnShare, ShareRepo } from '../../shares/ports.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { type Sql, sqlIn } from '../postgres/sql.ts'
import { lockUser } from '../users/lock-user.ts'

type LivingRow = {
  id: string
  passwordHash: string | null
  expiresAt: Date
  fileId: string
  key: string
  filename: string
  mimeType: string
  size: bigint
}

export function createShareRepo(db: Db): ShareRepo {
  return {
    hasFile: (userId, fileId) => hasFile(db.sql, userId, fileId),

    create(share, { maxOfFile, maxOfUser, address }) {
      const { id, hash, fileId, userId, epoch, passwordHash, createdAt, expiresAt } = share
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        if (!(await lockUser(sql, userId, epoch))) return 'accessEnded'
        if (!(await hasFile(sql, userId, fileId))) return 'noFile'
        const living = { userId, revokedAt: null, expiresAt: { gt: createdAt } }
        if ((await tx.share.count({ where: { ...living, fileId } })) >= maxOfFile) return 'tooManyOfFile'
        if ((await tx.share.count({ where: living })) >= maxOfUser) return 'tooManyOfUser'
        await tx.share.create({ data: { id, hash, fileId, userId, passwordHash, createdAt, expiresAt } })
        await addAudit(sql, {
          action: 'share.created',
          actor: userActor(userId),
          userId,
          subjectId: id,
          address,
          details: { fileId, expiresAt: expiresAt.toISOString(), password: passwordHash !== null },
        })
        return 'created'
      })
    },

    list: (userId, fileId, at) => db.sql.rows<OwnShare>`
      SELECT s.id, s.hash, s.file_id AS "fileId", f.filename, s.password_hash AS "passwordHash",
        s.created_at AS "createdAt", s.expires_at AS "expiresAt", s.downloads
      FROM shares s JOIN files f ON f.id = s.file_id AND f.state = 'READY' AND f.deleted_at IS NULL
      WHERE s.user_id = ${userId}::uuid AND (${fileId}::uuid IS NULL OR s.file_id = ${fileId}::uuid)
        AND s.revoked_at IS NULL AND s.expires_at > ${at}::timestamptz
      ORDER BY s.id DESC`,

    revoke: (userId, id, { at, address }) =>
      db.$transaction(async (tx) => {
        const { count } = await tx.share.updateMany({
          where: { id, userId, revokedAt: null },
          data: { revokedAt: at },
        })
        if (count === 0) return (await tx.share.count({ where: { id, userId } })) > 0
        await addAudit(sqlIn(tx), {
          action: 'share.revoked',
          actor: userActor(userId),
          userId,
          subjectId: id,
          address,
        })
        return true
      }),

    async find(hash, at) {
      const [row] = await db.sql.rows<LivingRow>`
        SELECT s.id, s.password_hash AS "passwordHash", s.expires_at AS "expiresAt",
          f.id AS "fileId", f.key, f.filename, f.mime_type AS "mimeType", f.size_bytes AS size
        FROM shares s
          JOIN files f ON f.id = s.file_id AND f.state = 'READY' AND f.deleted_at IS NULL
          JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL AND u.disabled_at IS NULL
        WHERE s.hash = ${hash} AND s.revoked_at IS NULL AND s.expires_at > ${at}::timestamptz`
      if (!row) return null
      const { id, passwordHash, expiresAt, fileId, size, ...file } = row
      return { id, passwordHash, expiresAt, file: { ...file, id: fileId, size: Number(size) } }
    },

    async countDownload(id, at) {
      const counted = await db.sql.run`
        UPDATE shares SET downloads = downloads + 1
        FROM files f, users u
        WHERE shares.id = ${id}::uuid AND revoked_at IS NULL AND shares.expires_at > ${at}::timestamptz
          AND f.id = shares.file_id AND f.state = 'READY' AND f.deleted_at IS NULL
          AND u.id = shares.user_id AND u.deleted_at IS NULL AND u.disabled_at IS NULL`
      return counted === 1
    },

    /** Those of deleted files go with the file's row. */
    prune: (before, limit) => db.sql.run`
      DELETE FROM shares WHERE id = ANY(ARRAY(
        SELECT id FROM shares
        WHERE expires_at < ${before}::timestamptz OR revoked_at < ${before}::timestamptz
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
  }
}

async function hasFile(sql: Sql, userId: string, fileId: string): Promise<boolean> {
  const rows = await sql.rows<{ id: string }>`
    SELECT id FROM files
    WHERE id = ${fileId}::uuid AND user_id = ${userId}::uuid AND state = 'READY' AND deleted_at IS NULL`
  return rows.length > 0
}
