import type { ManagedUserRepo, UserSearch } from '../../../domain/accounts/user-administration.ts'
import { changedFields } from '../../../kernel/audit.ts'
import type { Db, Tx } from '../db.ts'
import { nullOnUniqueViolation } from '../errors.ts'
import { CANCEL_ALL_TIMEOUT_MS } from '../push/messages/cancellation.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'
import { claimAccount } from './claim-account.ts'
import { disableUser, enableUser } from './disable-user.ts'
import { closePending, lockEmail } from './take-email.ts'

export function createManagedUserRepo(db: Db): ManagedUserRepo {
  /**
   * Finds the IDs of a page, and the number on all pages if wanted. An email finds the user who signs in here with it,
   * or else sign-ups that claim it and users of the external issuer whose tokens contain it. Those may have chosen the
   * email themselves, so they must not appear instead of its owner. Orders by a value have no index, because one on
   * values that each upload or call changes would make those slower.
   */
  function findIds({ sort = 'newest', limit, withTotal, ...search }: UserSearch) {
    const {
      email = null,
      externalId = null,
      query = null,
      beforeId = null,
      role = null,
      status = null,
    } = search
    return db.planned.rows<'findManagedUsers'>`
      WITH keyed AS NOT MATERIALIZED (
        SELECT *, lower(coalesce(email, display_email, name, external_id, id::text)) AS label,
          coalesce(CASE ${sort}::text WHEN 'oldest' THEN -extract(epoch FROM created_at)
            WHEN 'storage' THEN used_bytes + reserved_bytes
            WHEN 'lastSeen' THEN extract(epoch FROM last_seen_at) END, 0)::float8 AS value
        FROM users),
      found AS NOT MATERIALIZED (
        SELECT u.id, u.label, u.value FROM keyed u
        WHERE u.deleted_at IS NULL
          AND (${role}::text IS NULL OR u.role::text = ${role}::text)
          AND CASE ${status}::text
            WHEN 'active' THEN u.disabled_at IS NULL
            WHEN 'disabled' THEN u.disabled_at IS NOT NULL
            WHEN 'unverified' THEN coalesce(u.email, u.claimed_email) IS NOT NULL AND u.email_verified_at IS NULL
            ELSE true END
          AND (${externalId}::text IS NULL OR u.external_id = ${externalId}::text)
          AND (${email}::text IS NULL OR u.email = ${email}::text
            OR ((u.claimed_email = ${email}::text OR lower(u.display_email) = lower(${email}::text))
            AND NOT EXISTS (SELECT FROM users o WHERE o.email = ${email}::text AND o.deleted_at IS NULL)))
          AND (${query}::text IS NULL OR u.id::text = ${query}::text OR EXISTS (
            SELECT FROM unnest(ARRAY[u.email, u.claimed_email, u.display_email, u.name, u.external_id]) AS field
            WHERE position(lower(${query}::text) IN lower(field)) > 0)))
      SELECT u.id, CASE WHEN ${withTotal}::bool THEN (SELECT count(*)::int FROM found) END AS total
      FROM found u
      WHERE (${beforeId}::uuid IS NULL OR CASE ${sort}::text
          WHEN 'newest' THEN u.id < ${beforeId}::uuid
          WHEN 'name' THEN (u.label, u.id) > (SELECT label, id FROM keyed WHERE id = ${beforeId}::uuid)
          ELSE (u.value, u.id) < (SELECT value, id FROM keyed WHERE id = ${beforeId}::uuid) END)
      ORDER BY CASE ${sort}::text WHEN 'name' THEN u.label END, CASE ${sort}::text WHEN 'name' THEN u.id END,
        u.value DESC, u.id DESC LIMIT ${limit}::int`
  }

  /** Returns the users in the order of the IDs. */
  async function select(ids: string[]) {
    const users = await db.sql.rows<'findManagedUsersById'>`
      SELECT u.id, coalesce(u.email, u.claimed_email, u.display_email) AS email,
        CASE WHEN coalesce(u.email, u.claimed_email) IS NOT NULL THEN u.email_verified_at IS NOT NULL END AS "emailVerified",
        u.name, u.external_id AS "externalId", u.role,
        u.created_at AS "createdAt", u.last_seen_at AS "lastSeenAt", u.disabled_at IS NOT NULL AS disabled,
        u.quota_bytes::float8 AS "quotaBytes", u.used_bytes::float8 AS "usedBytes",
        u.reserved_bytes::float8 AS "reservedBytes",
        (SELECT count(*)::int FROM files WHERE user_id = u.id AND state = 'READY' AND deleted_at IS NULL) AS files,
        (SELECT count(*)::int FROM devices WHERE user_id = u.id) AS devices
      FROM users u WHERE u.id = ANY (${ids}::uuid[]) AND u.deleted_at IS NULL`
    const byId = new Map(users.map((user) => [user.id, user]))
    return ids.flatMap((id) => byId.get(id) ?? [])
  }

  return {
    async search(search) {
      const found = await findIds(search)
      const users = await select(found.map(({ id }) => id))
      // The last users of an empty page have been deleted in the meantime.
      const total = found[0]?.total ?? (search.beforeId === undefined ? 0 : undefined)
      return { users, total: search.withTotal ? total : undefined }
    },

    find: async (id) => (await select([id]))[0] ?? null,

    async create(user, by) {
      const create = db.transaction((tx, sql) => createUser(tx, sql, user, by))
      return (await nullOnUniqueViolation(create)) !== null
    },

    update: (id, change, by) =>
      db.repeatable(async (tx, sql) => {
        const result = await changeUser(tx, sql, id, change, by)
        if (result !== 'updated') return result
        if (change.disabled === true) await disableUser(tx, sql, id, by)
        if (change.disabled === false) await enableUser(tx, sql, id, by)
        return result
      }, CANCEL_ALL_TIMEOUT_MS),
  }
}

type Create = ManagedUserRepo['create']
type Update = ManagedUserRepo['update']

/** Creates a user with a verified email, and deletes the sign-ups with it. */
export async function createUser(tx: Tx, sql: Sql, ...[user, { actor, address, at }]: Parameters<Create>) {
  const { id, email, passwordHash, external, name, quotaBytes, role } = user
  if (email !== null) {
    await lockEmail(sql, email)
    await closePending(tx, sql, email, { at })
  }
  await tx.user.create({
    data: {
      id,
      email,
      emailVerifiedAt: email === null ? null : at,
      passwordHash,
      externalIssuer: external?.issuer,
      externalId: external?.id,
      name,
      quotaBytes,
      role,
    },
  })
  const details = { ...(role === 'admin' && { role }), ...(quotaBytes !== null && { quotaBytes }) }
  await addAudit(sql, { action: 'account.created', actor, userId: id, address, details })
}

/**
 * Changes everything but `disabled`. With a password, the operator verifies the email, so what earlier users added to an
 * unverified account is deleted. `keepName` keeps the name that they chose.
 */
export async function changeUser(
  tx: Tx,
  sql: Sql,
  id: string,
  { passwordHash, quotaBytes, name, role }: Parameters<Update>[1],
  { actor, address, at }: Parameters<Update>[2],
  keepName = true,
): ReturnType<Update> {
  const user = await tx.user.findUnique({
    where: { id, deletedAt: null },
    select: {
      email: true,
      claimedEmail: true,
      emailVerifiedAt: true,
      name: true,
      quotaBytes: true,
      role: true,
    },
  })
  if (!user) return 'notFound'
  const hasEmail = user.email !== null || user.claimedEmail !== null
  const isUnverified = hasEmail && user.emailVerifiedAt === null && passwordHash === undefined
  if (role === 'admin' && user.role !== 'admin' && isUnverified) return 'unverified'
  if (passwordHash !== undefined) {
    if (!hasEmail) return 'external'
    const claim = { at, by: 'operator', name: keepName ? user.name : null, passwordHash }
    const claimed = user.emailVerifiedAt === null && (await claimAccount(tx, sql, id, claim))
    if (!claimed && user.email === null) return 'emailTaken'
    if (!claimed)
      await tx.user.update({ where: { id }, data: { passwordHash, sessionEpoch: { increment: 1 } } })
    await addAudit(sql, { action: 'password.changed', actor, userId: id, address })
  }
  await tx.user.update({ where: { id }, data: { quotaBytes, name, role } })
  const old = {
    name: user.name,
    quotaBytes: user.quotaBytes === null ? null : Number(user.quotaBytes),
    role: user.role,
  }
  for (const details of changedFields(old, { name, quotaBytes, role })) {
    const action = details.field === 'role' ? 'user.role.changed' : 'user.changed'
    await addAudit(sql, { action, actor, userId: id, address, details })
  }
  return 'updated'
}
