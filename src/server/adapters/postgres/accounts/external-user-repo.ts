import type { ExternalUserRepo } from '../../../domain/accounts/external-users.ts'
import type { Db } from '../db.ts'

export function createExternalUserRepo(db: Db): ExternalUserRepo {
  return {
    find: (issuer, externalId) => db.sql.row<'findExternalUser'>`
      SELECT id, name, display_email AS email, role, session_epoch AS epoch, disabled_at AS "disabledAt", last_seen_at AS "lastSeenAt"
      FROM users
      WHERE external_issuer = ${issuer} AND external_id = ${externalId} AND deleted_at IS NULL`,

    create: ({ id, issuer, externalId, email, name }) => db.sql.wrote<'createExternalUser'>`
      INSERT INTO users (id, external_issuer, external_id, display_email, name)
      VALUES (${id}::uuid, ${issuer}, ${externalId}, ${email}, ${name})
      ON CONFLICT (external_issuer, external_id) DO NOTHING`,

    setProfile: (id, { email, name }) => db.sql.write<'setExternalProfile'>`
      UPDATE users SET display_email = coalesce(${email}, display_email), name = coalesce(${name}, name)
      WHERE id = ${id}::uuid`,

    // Only the first of several parallel calls writes. Claims that the token lacks keep their values.
    seen: (id, { at, before, email, name }) => db.sql.write<'markExternalUserSeen'>`
      UPDATE users SET last_seen_at = ${at}::timestamptz, display_email = coalesce(${email}, display_email),
        name = coalesce(${name}, name)
      WHERE id = ${id}::uuid AND (last_seen_at IS NULL OR last_seen_at <= ${before}::timestamptz)`,
  }
}
