import type { SessionRepo } from '../../../domain/accounts/sessions.ts'
import { createBatch } from '../batch.ts'
import type { Db } from '../db.ts'

export function createSessionRepo(db: Db): SessionRepo {
  const findById = createBatch(async (ids: string[]) => {
    const rows = await db.sql.rows<'findSessions'>`
      SELECT u.id, u.email, u.claimed_email AS "claimedEmail", u.name, u.role, s.id AS "sessionId", s.epoch, s.created_at AS "createdAt",
        s.method, coalesce(s.authenticated_at, s.created_at) AS "signedInAt",
        s.expires_at AS "expiresAt", s.last_seen_at AS "lastSeenAt"
      FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.id = ANY (${ids}::uuid[])
        AND u.session_epoch = s.epoch AND u.deleted_at IS NULL AND u.disabled_at IS NULL
        AND coalesce(u.email, u.claimed_email) IS NOT NULL`
    const found = new Map(
      rows.map((row) => [
        row.sessionId,
        Object.assign(row, { via: 'session' as const, email: row.email ?? row.claimedEmail ?? '' }),
      ]),
    )
    return ids.map((id) => found.get(id))
  })

  return {
    async create(
      { id, userId, epoch, userAgent, language, method, signedInAt, createdAt, lastSeenAt, expiresAt },
      max,
    ) {
      await db.sql.run<'createSession'>`
        WITH over AS (
          DELETE FROM sessions WHERE id IN (
            SELECT id FROM sessions WHERE user_id = ${userId}::uuid
            ORDER BY last_seen_at DESC OFFSET ${max - 1}::int)),
        seen AS (UPDATE users SET last_seen_at = ${lastSeenAt} WHERE id = ${userId}::uuid)
        INSERT INTO sessions (id, user_id, epoch, user_agent, language, method, authenticated_at, created_at, last_seen_at, expires_at)
        VALUES (${id}::uuid, ${userId}::uuid, ${epoch}::int, ${userAgent}, ${language}, ${method}, ${signedInAt}, ${createdAt}, ${lastSeenAt}, ${expiresAt})`
    },

    async find(id, at) {
      const session = await findById(id)
      return session && session.expiresAt > at ? session : null
    },

    seen: (id, { at, expiresAt, before }) => db.sql.write<'markSessionSeen'>`
      WITH seen AS (
        UPDATE sessions SET last_seen_at = ${at}, expires_at = ${expiresAt}
        WHERE id = ${id}::uuid AND last_seen_at <= ${before} RETURNING user_id)
      UPDATE users SET last_seen_at = ${at}::timestamptz FROM seen WHERE users.id = seen.user_id`,

    authenticated: (id, at, method) => db.sql.write<'markSessionAuthenticated'>`
      UPDATE sessions SET authenticated_at = ${at}::timestamptz,
        method = CASE WHEN method = 'passkey' THEN method ELSE coalesce(${method ?? null}::text, method) END
      WHERE id = ${id}::uuid`,

    async language(userId, before) {
      const session = await db.session.findFirst({
        where: { userId, language: { not: null }, createdAt: { lt: before } },
        orderBy: { lastSeenAt: 'desc' },
        select: { language: true },
      })
      return session?.language ?? null
    },

    list: (userId, at) => db.sql.rows<'listSessions'>`
      SELECT s.id, s.created_at AS "createdAt", s.last_seen_at AS "lastSeenAt", s.user_agent AS "userAgent"
      FROM sessions s JOIN users u ON u.id = s.user_id
      WHERE s.user_id = ${userId}::uuid AND s.expires_at > ${at} AND u.session_epoch = s.epoch
      ORDER BY s.last_seen_at DESC, s.id DESC`,

    async end(id, userId) {
      const [ended] = await db.sql.rows<'endSession'>`
        DELETE FROM sessions
        WHERE id = ${id}::uuid AND (${userId ?? null}::uuid IS NULL OR user_id = ${userId ?? null}::uuid)
        RETURNING user_id AS "userId"`
      return ended?.userId ?? null
    },

    deleteExpired: (at, limit) => db.sql.run<'deleteExpiredSessions'>`
      DELETE FROM sessions WHERE id IN (
        SELECT id FROM sessions WHERE expires_at <= ${at}
        ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
  }
}
