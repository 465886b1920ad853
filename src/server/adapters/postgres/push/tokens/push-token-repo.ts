import { defaultScopes, type PushTokenRepo } from '../../../../domain/push/tokens/push-tokens.ts'
import type { Scope } from '../../../../domain/push/tokens/schema.ts'
import { newId } from '../../../../kernel/ids.ts'
import { addAudit } from '../../accounts/audit-repo.ts'
import { createBatch } from '../../batch.ts'
import type { Db } from '../../db.ts'
import type { Row } from '../../sql.ts'
import { CANCEL_ALL_TIMEOUT_MS, cancelUnfinished } from '../messages/cancellation.ts'

export function createPushTokenRepo(db: Db): PushTokenRepo {
  /** Finds tokens that are not revoked, of users who are not disabled or deleted. */
  const findByHash = createBatch(async (hashes: string[]) => {
    const rows = await db.sql.rows<'findPushTokens'>`
      SELECT t.id, t.hash, t.user_id AS "userId", t.allow_broadcast AS "allowBroadcast", t.scopes,
        t.last_used_at AS "lastUsedAt", t.expires_at AS "expiresAt"
      FROM push_tokens t JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL AND u.disabled_at IS NULL
      WHERE t.hash = ANY (${hashes}::text[]) AND t.revoked_at IS NULL`
    const found = new Map(rows.map((row) => [row.hash, row]))
    return hashes.map((hash) => found.get(hash))
  })

  async function markUsed(token: Row<'findOwnPushToken'> | undefined, at: Date) {
    if (!token || token.expiresAt <= at) return null
    const { id, userId } = token
    const minuteAgo = new Date(at.getTime() - 60_000)
    // Only the first of several parallel calls writes.
    if (!token.lastUsedAt || token.lastUsedAt < minuteAgo)
      await db.sql.run<'markPushTokenUsed'>`
        UPDATE push_tokens SET last_used_at = ${at}::timestamptz
        WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at < ${minuteAgo}::timestamptz)`
    return { id, userId, scopes: scopesOf(token.scopes, token.allowBroadcast) }
  }

  return {
    async create(token, { actor, address }) {
      const { id, userId, name, hash, suffix, allowBroadcast, scopes, createdAt, expiresAt } = token
      const details = { userId, name, scopes: scopes.join(' '), expiresAt: expiresAt.toISOString() }
      return db.sql.wrote<'createPushToken'>`
        WITH created AS (
          INSERT INTO push_tokens (id, hash, name, user_id, allow_broadcast, scopes, suffix, created_at, expires_at)
          SELECT ${id}::uuid, ${hash}, ${name}, u.id, ${allowBroadcast}, ${scopes}::text[], ${suffix}, ${createdAt},
            ${expiresAt}
          FROM users u WHERE u.id = ${userId}::uuid AND u.deleted_at IS NULL
          RETURNING id)
        INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
        SELECT ${newId()}::uuid, 'push.token.created', ${actor}, ${userId}::uuid, created.id::text, ${address},
               ${JSON.stringify(details)}::jsonb
        FROM created`
    },

    async list(userId) {
      const tokens = await db.pushToken.findMany({
        where: { userId, user: { deletedAt: null } },
        orderBy: { id: 'desc' },
        omit: { hash: true },
      })
      return tokens.map((token) => ({ ...token, scopes: scopesOf(token.scopes, token.allowBroadcast) }))
    },

    async search({ userId, status, now, beforeId, limit }) {
      const rows = await db.pushToken.findMany({
        where: {
          userId,
          user: { deletedAt: null },
          id: { lt: beforeId },
          ...(status === 'revoked' && { revokedAt: { not: null } }),
          ...(status === 'active' && { revokedAt: null, expiresAt: { gt: now } }),
          ...(status === 'expired' && { revokedAt: null, expiresAt: { lte: now } }),
        },
        orderBy: { id: 'desc' },
        take: limit,
        omit: { hash: true },
        include: { user: { select: { email: true, claimedEmail: true, displayEmail: true, name: true } } },
      })
      return rows.map(({ user: { email, claimedEmail, displayEmail, name }, ...token }) => ({
        ...token,
        scopes: scopesOf(token.scopes, token.allowBroadcast),
        user: { email: email ?? claimedEmail ?? displayEmail, name },
      }))
    },

    revoke: (id, at, { actor, address }) =>
      db.repeatable(async (tx, sql) => {
        const [token] = await sql.rows<'revokePushToken'>`
          UPDATE push_tokens SET revoked_at = ${at}::timestamptz WHERE id = ${id}::uuid AND revoked_at IS NULL
          RETURNING user_id AS "userId"`
        if (!token) return (await tx.pushToken.count({ where: { id } })) > 0
        const details = { cancelled: await cancelUnfinished(sql, id) }
        await addAudit(sql, {
          ...token,
          action: 'push.token.revoked',
          actor,
          subjectId: id,
          address,
          details,
        })
        return true
      }, CANCEL_ALL_TIMEOUT_MS),

    use: async (hash, at) => markUsed(await findByHash(hash), at),

    async authenticateOwn(id, userId, at) {
      const [token] = await db.sql.rows<'findOwnPushToken'>`
        SELECT id, user_id AS "userId", allow_broadcast AS "allowBroadcast", scopes, last_used_at AS "lastUsedAt",
          expires_at AS "expiresAt"
        FROM push_tokens WHERE id = ${id}::uuid AND user_id = ${userId}::uuid AND revoked_at IS NULL`
      return markUsed(token, at)
    },
  }
}

/** Rows from before scopes were introduced have none. */
function scopesOf(stored: string[] | null, allowBroadcast: boolean): Scope[] {
  return stored && stored.length > 0 ? (stored as Scope[]) : defaultScopes(allowBroadcast)
}
