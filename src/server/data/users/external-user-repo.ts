import type { ExternalUserRepo, FoundExternalUser } from '../../auth/ports.ts'
import type { Db } from '../postgres/db.ts'

export function createExternalUserRepo(db: Db): ExternalUserRepo {
  return {
    async find(issuer, externalId) {
      const [user] = await db.sql.rows<FoundExternalUser>`
        SELECT id, name, role, session_epoch AS epoch, disabled_at AS "disabledAt", last_seen_at AS "lastSeenAt"
        FROM users
        WHERE external_issuer = ${issuer} AND external_id = ${externalId} AND deleted_at IS NULL`
      return user ?? null
    },

    async create({ id, issuer, externalId, email, name }) {
      const count = await db.sql.run`
        INSERT INTO users (id, external_issuer, external_id, display_email, name)
        VALUES (${id}::uuid, ${issuer}, ${externalId}, ${email}, ${name})
        ON CONFLICT (external_issuer, external_id) DO NOTHING`
      return count > 0
    },

    async seen(id, { at, before, email, name }) {
      // Of parallel calls only the first one writes. What the token does not say stays.
      await db.sql.run`
        UPDATE users SET last_seen_at = ${at}::timestamptz, display_email = coalesce(${email}, display_email),
          name = coalesce(${name}, name)
        WHERE id = ${id}::uuid AND (last_seen_at IS NULL OR last_seen_at <= ${before}::timestamptz)`
    },
  }
}
