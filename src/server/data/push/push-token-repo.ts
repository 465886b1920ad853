import { newId } from '../../ids.ts'
import type { PushTokenRepo } from '../../push/ports.ts'
import { defaultScopes } from '../../push/push-tokens.ts'
import type { Scope } from '../../push/schema.ts'
import { addAudit } from '../audit/audit-repo.ts'
import { createBatch } from '../postgres/batch.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { cancelUnfinished } from './cancellation.ts'

type UsedToken = {
  id: string
  hash: string
  user_id: string
  allow_broadcast: boolean
  scopes: string[]
  last_used_at: Date | null
  expires_at: Date
}

export function createPushTokenRepo(db: Db): PushTokenRepo {
  /** Not revoked ones, of users who exist and are not disabled. */
  const findByHash = createBatch(async (hashes: string[]) => {
    const rows = await db.sql.rows<UsedToken>`
      SELECT t.id, t.hash, t.user_id, t.allow_broadcast, t.scopes, t.last_used_at, t.expires_at
      FROM push_tokens t JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL AND u.disabled_at IS NULL
      WHERE t.hash = ANY (${hashes}::text[]) AND t.revoked_at IS NULL`
    const found = new Map(rows.map((row) => [row.hash, row]))
    return hashes.map((hash) => found.get(hash))
  })

  return {
    async create(token, { actor, address }) {
      const { id, userId, name, hash, allowBroadcast, scopes, createdAt, expiresAt } = token
      const details = JSON.stringify({ userId, name, scopes, expiresAt })
      const count = await db.sql.run`
        WITH made AS (
          INSERT INTO push_tokens (id, hash, name, user_id, allow_broadcast, scopes, created_at, expires_at)
          SELECT ${id}::uuid, ${hash}, ${name}, u.id, ${allowBroadcast}, ${scopes}::text[], ${createdAt}, ${expiresAt}
          FROM users u WHERE u.id = ${userId}::uuid AND u.deleted_at IS NULL
          RETURNING id)
        INSERT INTO audit_entries (id, action, actor, user_id, subject_id, address, details)
        SELECT ${newId()}::uuid, 'push.token.created', ${actor}, ${userId}::uuid, made.id::text, ${address},
               ${details}::jsonb
        FROM made`
      return count > 0
    },

    async list(userId) {
      return db.pushToken.findMany({
        where: { userId },
        orderBy: { id: 'desc' },
        omit: { hash: true, scopes: true },
      })
    },

    async search({ userId, beforeId, limit }) {
      const rows = await db.pushToken.findMany({
        where: { userId, id: { lt: beforeId } },
        orderBy: { id: 'desc' },
        take: limit,
        omit: { hash: true },
        include: { user: { select: { email: true, displayEmail: true, name: true } } },
      })
      return rows.map(({ user: { email, displayEmail, name }, ...token }) => ({
        ...token,
        scopes: scopesOf(token.scopes, token.allowBroadcast),
        user: { email: email ?? displayEmail, name },
      }))
    },

    async revoke(id, at, { actor, address }) {
      return db.$transaction(async (tx) => {
        const [token] = await tx.pushToken.updateManyAndReturn({
          where: { id, revokedAt: null },
          data: { revokedAt: at },
          select: { userId: true },
        })
        if (!token) return (await tx.pushToken.count({ where: { id } })) > 0
        const sql = sqlIn(tx)
        const cancelled = await cancelUnfinished(sql, id)
        await addAudit(sql, {
          action: 'push.token.revoked',
          actor,
          userId: token.userId,
          subjectId: id,
          address,
          details: { cancelled: cancelled.length },
        })
        return true
      })
    },

    async use(hash, at) {
      const token = await findByHash(hash)
      if (!token || token.expires_at <= at) return null
      const minuteAgo = new Date(at.getTime() - 60_000)
      if (!token.last_used_at || token.last_used_at < minuteAgo)
        // Conditional: of requests in parallel, which have all read the same, one writes.
        await db.pushToken.updateMany({
          where: { id: token.id, OR: [{ lastUsedAt: null }, { lastUsedAt: { lt: minuteAgo } }] },
          data: { lastUsedAt: at },
        })
      const scopes = scopesOf(token.scopes, token.allow_broadcast)
      return { id: token.id, userId: token.user_id, scopes }
    },
  }
}

/** Rows from before there were scopes have none. */
function scopesOf(stored: string[], allowBroadcast: boolean): Scope[] {
  return stored.length > 0 ? (stored as Scope[]) : defaultScopes(allowBroadcast)
}
