import { newId } from '../ids.ts'
import type { TokenRepo } from '../push/ports.ts'
import type { Db } from './prisma.ts'

export function createPushTokenRepo(db: Db): TokenRepo {
  return {
    async create(token) {
      const { id, userId, name, hash, allowBroadcast, createdAt, expiresAt } = token
      const details = JSON.stringify({ userId, name, allowBroadcast, expiresAt })
      const count = await db.$executeRaw`
        WITH made AS (
          INSERT INTO push_tokens (id, hash, name, user_id, allow_broadcast, created_at, expires_at)
          SELECT ${id}::uuid, ${hash}, ${name}, u.id, ${allowBroadcast}, ${createdAt}, ${expiresAt}
          FROM users u WHERE u.id = ${userId}::uuid AND u.deleted_at IS NULL
          RETURNING id)
        INSERT INTO audit_entries (id, action, subject_id, details)
        SELECT ${newId()}::uuid, 'push.token.created', made.id::text, ${details}::jsonb FROM made`
      return count > 0
    },

    async list(userId) {
      return db.pushToken.findMany({
        where: { userId },
        orderBy: { id: 'desc' },
        omit: { hash: true },
      })
    },

    async revoke(id, at) {
      const { count } = await db.pushToken.updateMany({
        where: { id, revokedAt: null },
        data: { revokedAt: at },
      })
      if (count === 0) return (await db.pushToken.count({ where: { id } })) > 0
      await db.auditEntry.create({ data: { id: newId(), action: 'push.token.revoked', subjectId: id } })
      return true
    },

    async use(hash, at) {
      const token = await db.pushToken.findFirst({
        where: { hash, revokedAt: null, expiresAt: { gt: at }, user: { deletedAt: null } },
        select: { id: true, userId: true, allowBroadcast: true, lastUsedAt: true },
      })
      if (!token) return null
      const { lastUsedAt, ...credential } = token
      const minuteAgo = new Date(at.getTime() - 60_000)
      if (!lastUsedAt || lastUsedAt < minuteAgo)
        // Conditional, since requests in parallel have all read the same: one of them writes.
        await db.pushToken.updateMany({
          where: { id: token.id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: minuteAgo } }] },
          data: { lastUsedAt: at },
        })
      return credential
    },
  }
}
