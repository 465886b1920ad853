import type { ServerKeyRepo } from '../../../domain/accounts/server-keys.ts'
import { createBatch } from '../batch.ts'
import type { Db } from '../db.ts'
import { addAudit } from './audit-repo.ts'

export function createServerKeyRepo(db: Db): ServerKeyRepo {
  const findByHash = createBatch(async (hashes: string[]) => {
    const rows = await db.sql.rows<'findServerKeys'>`
      SELECT id, hash, scopes, expires_at AS "expiresAt", last_used_at AS "lastUsedAt"
      FROM server_keys WHERE hash = ANY (${hashes}::text[])`
    const found = new Map(rows.map((row) => [row.hash, { ...row, scopes: row.scopes ?? [] }]))
    return hashes.map((hash) => found.get(hash))
  })

  return {
    create: ({ id, hash, name, scopes, suffix, createdAt, expiresAt }, max, { actor, address }) =>
      db.sqlTransaction(async (sql) => {
        // Concurrent creations are counted one after another.
        await sql.run<'lockServerKeys'>`SELECT pg_advisory_xact_lock(hashtextextended('server-keys', 0))`
        await sql.run<'deleteExpiredServerKeys'>`DELETE FROM server_keys WHERE expires_at <= ${createdAt}`
        const created = await sql.run<'createServerKey'>`
          INSERT INTO server_keys (id, hash, name, scopes, suffix, created_at, expires_at)
          SELECT ${id}::uuid, ${hash}, ${name}, ${scopes}::text[], ${suffix}, ${createdAt}::timestamptz, ${expiresAt}::timestamptz
          WHERE (SELECT count(*) FROM server_keys) < ${max}::int`
        if (created === 0) return false
        const details = { name, scopes: scopes.join(' '), expiresAt: expiresAt.toISOString() }
        await addAudit(sql, { action: 'server_key.created', actor, subjectId: id, address, details })
        return true
      }),

    async list() {
      const rows = await db.sql.rows<'listServerKeys'>`
        SELECT id, name, scopes, suffix, created_at AS "createdAt", expires_at AS "expiresAt",
          last_used_at AS "lastUsedAt"
        FROM server_keys ORDER BY id DESC`
      return rows.map((row) => ({ ...row, scopes: row.scopes ?? [] }))
    },

    revoke: (id, { actor, address }) =>
      db.sqlTransaction(async (sql) => {
        if ((await sql.run<'revokeServerKey'>`DELETE FROM server_keys WHERE id = ${id}::uuid`) === 0)
          return false
        await addAudit(sql, { action: 'server_key.revoked', actor, subjectId: id, address })
        return true
      }),

    find: async (hash) => (await findByHash(hash)) ?? null,

    used: (id, { at, before }) => db.sql.write<'markServerKeyUsed'>`
      UPDATE server_keys SET last_used_at = ${at}::timestamptz
      WHERE id = ${id}::uuid AND (last_used_at IS NULL OR last_used_at <= ${before}::timestamptz)`,
  }
}
