import type { UserTokenRepo } from '../../../domain/accounts/user-tokens.ts'
import { createBatch } from '../batch.ts'
import type { Db } from '../db.ts'

export function createUserTokenRepo(db: Db): UserTokenRepo {
  const findTogether = createBatch(async (tokens: { userId: string; keyId: string | null }[]) => {
    const rows = await db.sql.rows<'userTokenStandings'>`
      SELECT t.n::int, u.name, u.role, u.session_epoch AS epoch, u.disabled_at AS "disabledAt",
        u.last_seen_at AS "lastSeenAt",
        t.key_id IS NULL OR EXISTS (SELECT FROM server_keys k WHERE k.id = t.key_id AND k.expires_at > now())
          AS "isKeyActive"
      FROM unnest(${tokens.map(({ userId }) => userId)}::uuid[], ${tokens.map(({ keyId }) => keyId)}::uuid[])
          WITH ORDINALITY AS t (user_id, key_id, n)
        JOIN users u ON u.id = t.user_id AND u.deleted_at IS NULL`
    const found = new Map(
      rows.map(({ n, isKeyActive, ...row }) => [n, { ...row, isKeyActive: isKeyActive === true }]),
    )
    return tokens.map((_, i) => found.get(i + 1))
  })

  return {
    status: async (userId, keyId) => (await findTogether({ userId, keyId })) ?? null,

    seen: (userId, { at, before }) => db.sql.write<'markUserSeen'>`
      UPDATE users SET last_seen_at = ${at}::timestamptz
      WHERE id = ${userId}::uuid AND (last_seen_at IS NULL OR last_seen_at <= ${before}::timestamptz)`,
  }
}
