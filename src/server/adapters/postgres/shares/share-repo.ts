import type { ShareRepo } from '../../../domain/shares/share-repo.ts'
import { byUser } from '../../../kernel/audit.ts'
import { addAudit } from '../accounts/audit-repo.ts'
import { lockUser } from '../accounts/lock-user.ts'
import type { Db } from '../db.ts'
import type { Sql } from '../sql.ts'

export function createShareRepo(db: Db): ShareRepo {
  return {
    hasFile: (userId, fileId) => hasFile(db.sql, userId, fileId),

    create({ epoch, ...share }, { maxOfFile, maxOfUser, address, onNew }) {
      const { id, fileId, userId, passwordHash, createdAt, expiresAt } = share
      let isCounted = false
      // Locks the user before the file, because a share counts against the user's limit. Most statements do the reverse.
      return db.repeatable(async (tx, sql) => {
        if (!(await lockUser(sql, userId, epoch))) return 'accessEnded'
        if (!(await hasFile(sql, userId, fileId))) return 'noFile'
        const active = { userId, revokedAt: null, expiresAt: { gt: createdAt } }
        if ((await tx.share.count({ where: { ...active, fileId } })) >= maxOfFile) return 'tooManyOfFile'
        if ((await tx.share.count({ where: active })) >= maxOfUser) return 'tooManyOfUser'
        if (!isCounted) await onNew()
        isCounted = true
        await tx.share.create({ data: share })
        const details = { fileId, expiresAt: expiresAt.toISOString(), password: passwordHash !== null }
        await addAudit(sql, { action: 'share.created', ...byUser(userId, address), subjectId: id, details })
        return 'created'
      })
    },

    list: (userId, fileId, at) => db.sql.rows<'listShares'>`
      SELECT s.id, s.hash, s.file_id AS "fileId", f.filename, s.password_hash AS "passwordHash",
        s.created_at AS "createdAt", s.expires_at AS "expiresAt", s.downloads
      FROM shares s JOIN files f ON f.id = s.file_id AND f.state = 'READY' AND f.deleted_at IS NULL
      WHERE s.user_id = ${userId}::uuid AND (${fileId}::uuid IS NULL OR s.file_id = ${fileId}::uuid)
        AND s.revoked_at IS NULL AND s.expires_at > ${at}::timestamptz
      ORDER BY s.id DESC`,

    revoke: (userId, id, { at, address }) =>
      db.transaction(async (tx, sql) => {
        const { count } = await tx.share.updateMany({
          where: { id, userId, revokedAt: null },
          data: { revokedAt: at },
        })
        if (count === 0) return (await tx.share.count({ where: { id, userId } })) > 0
        await addAudit(sql, { action: 'share.revoked', ...byUser(userId, address), subjectId: id })
        return true
      }),

    async find(hash, at) {
      const [row] = await db.sql.rows<'findShare'>`
        SELECT s.id, s.user_id AS "ownerId", s.password_hash AS "passwordHash", s.expires_at AS "expiresAt",
          u.name AS "ownerName", f.id AS "fileId", f.key, f.filename, f.mime_type AS "mimeType",
          f.size_bytes::float8 AS size
        FROM shares s
          JOIN files f ON f.id = s.file_id AND f.state = 'READY' AND f.deleted_at IS NULL
          JOIN users u ON u.id = s.user_id AND u.deleted_at IS NULL AND u.disabled_at IS NULL
        WHERE s.hash = ${hash} AND s.revoked_at IS NULL AND s.expires_at > ${at}::timestamptz`
      if (!row) return null
      const { id, ownerId, ownerName, passwordHash, expiresAt, fileId, ...file } = row
      return { id, ownerId, ownerName, passwordHash, expiresAt, file: { ...file, id: fileId } }
    },

    countDownload: (id, at) => db.sql.wrote<'countDownload'>`
      UPDATE shares SET downloads = downloads + 1
      FROM files f, users u
      WHERE shares.id = ${id}::uuid AND revoked_at IS NULL AND shares.expires_at > ${at}::timestamptz
        AND f.id = shares.file_id AND f.state = 'READY' AND f.deleted_at IS NULL
        AND u.id = shares.user_id AND u.deleted_at IS NULL AND u.disabled_at IS NULL`,

    /** Shares of deleted files are deleted with the file's row. */
    prune: (before, limit) => db.sql.run<'pruneShares'>`
      DELETE FROM shares WHERE id = ANY(ARRAY(
        SELECT id FROM shares
        WHERE expires_at < ${before}::timestamptz OR revoked_at < ${before}::timestamptz
        LIMIT ${limit}::int FOR UPDATE SKIP LOCKED))`,
  }
}

async function hasFile(sql: Sql, userId: string, fileId: string): Promise<boolean> {
  const found = await sql.row<'hasFile'>`
    SELECT id FROM files
    WHERE id = ${fileId}::uuid AND user_id = ${userId}::uuid AND state = 'READY' AND deleted_at IS NULL`
  return found !== null
}
