import { userActor } from '../../audit.ts'
import type { ApiKeyRepo, FoundApiKey } from '../../auth/ports.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { lockUser } from './lock-user.ts'

export function createApiKeyRepo(db: Db): ApiKeyRepo {
  return {
    create(key, { max, address }) {
      const { id, hash, userId, epoch, name, scopes, createdAt, expiresAt } = key
      return db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        if (!(await lockUser(sql, userId, epoch))) return 'accessEnded'
        await tx.apiKey.deleteMany({ where: { userId, expiresAt: { lte: createdAt } } })
        if ((await tx.apiKey.count({ where: { userId } })) >= max) return 'tooMany'
        await tx.apiKey.create({
          data: { id, hash, userId, name, scopes: [...scopes], createdAt, expiresAt },
        })
        await addAudit(sql, {
          action: 'api_key.created',
          actor: userActor(userId),
          userId,
          subjectId: id,
          address,
          details: { name, scopes: scopes.join(' '), expiresAt: expiresAt.toISOString() },
        })
        return 'created'
      })
    },

    list: (userId) =>
      db.apiKey.findMany({
        where: { userId },
        orderBy: { id: 'desc' },
        omit: { hash: true, userId: true },
      }),

    revoke: (userId, id, address) =>
      db.$transaction(async (tx) => {
        const { count } = await tx.apiKey.deleteMany({ where: { id, userId } })
        if (count === 0) return false
        await addAudit(sqlIn(tx), {
          action: 'api_key.revoked',
          actor: userActor(userId),
          userId,
          subjectId: id,
          address,
        })
        return true
      }),

    async find(hash) {
      const [key] = await db.sql.rows<FoundApiKey>`
        SELECT k.id AS "keyId", k.scopes, k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt",
          u.id, u.name, u.role, u.session_epoch AS epoch, u.disabled_at AS "disabledAt"
        FROM api_keys k JOIN users u ON u.id = k.user_id AND u.deleted_at IS NULL
        WHERE k.hash = ${hash}`
      return key ?? null
    },

    async used(keyId, { at, before }) {
      // Of parallel calls only the first one writes.
      await db.sql.run`
        WITH used AS (
          UPDATE api_keys SET last_used_at = ${at}
          WHERE id = ${keyId}::uuid AND (last_used_at IS NULL OR last_used_at <= ${before}::timestamptz)
          RETURNING user_id)
        UPDATE users SET last_seen_at = ${at}::timestamptz FROM used WHERE users.id = used.user_id`
    },
  }
}
