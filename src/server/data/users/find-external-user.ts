import type { Db } from '../postgres/db.ts'

/** The id of the user whom this issuer calls `externalId`; null: there is none, or his deletion has begun. */
export async function findExternalUser(db: Db, issuer: string, externalId: string): Promise<string | null> {
  const [user] = await db.sql.rows<{ id: string }>`
    SELECT id FROM users
    WHERE external_issuer = ${issuer} AND external_id = ${externalId} AND deleted_at IS NULL`
  return user?.id ?? null
}
