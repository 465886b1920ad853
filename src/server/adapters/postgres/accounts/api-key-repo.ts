import type { ApiKeyRepo } from '../../../domain/accounts/api-keys.ts'
import { byUser } from '../../../kernel/audit.ts'
import type { Db } from '../db.ts'
import { addAudit } from './audit-repo.ts'
import { lockUser } from './lock-user.ts'

export function createApiKeyRepo(db: Db): ApiKeyRepo {
  return {
    create({ epoch, ...key }, { max, address, onNew }) {
      const { id, userId, name, scopes, createdAt, expiresAt } = key
      return db.transaction(async (tx, sql) => {
        if (!(await lockUser(sql, userId, epoch))) return 'accessEnded'
        await tx.apiKey.deleteMany({ where: { userId, expiresAt: { lte: createdAt } } })
        if ((await tx.apiKey.count({ where: { userId } })) >= max) return 'tooMany'
        await onNew()
        await tx.apiKey.create({ data: { ...key, scopes: [...scopes] } })
        const details = { name, scopes: scopes.join(' '), expiresAt: expiresAt.toISOString() }
        await addAudit(sql, { action: 'api_key.created', ...byUser(userId, address), subjectId: id, details })
        return 'created'
      })
    },

    list: (userId) =>
      db.apiKey.findMany({ where: { userId }, orderBy: { id: 'desc' }, omit: { hash: true, userId: true } }),

    revoke: (userId, id, address) =>
      db.transaction(async (tx, sql) => {
        const { count } = await tx.apiKey.deleteMany({ where: { id, userId } })
        if (count === 0) return false
        await addAudit(sql, { action: 'api_key.revoked', ...byUser(userId, address), subjectId: id })
        return true
      }),

    async find(hash) {
      const [key] = await db.sql.rows<'findApiKey'>`
        SELECT k.id AS "keyId", k.scopes, k.expires_at AS "expiresAt", k.last_used_at AS "lastUsedAt",
          u.id, u.name, u.role, u.session_epoch AS epoch, u.disabled_at AS "disabledAt"
        FROM api_keys k JOIN users u ON u.id = k.user_id AND u.deleted_at IS NULL
        WHERE k.hash = ${hash}`
      return key ? { ...key, scopes: key.scopes ?? [] } : null
    },

    used: (keyId, { at, before }) => db.sql.write<'markApiKeyUsed'>`
      WITH used AS (
        UPDATE api_keys SET last_used_at = ${at}
        WHERE id = ${keyId}::uuid AND (last_used_at IS NULL OR last_used_at <= ${before}::timestamptz)
        RETURNING user_id)
      UPDATE users SET last_seen_at = ${at}::timestamptz FROM used WHERE users.id = used.user_id`,
  }
}
