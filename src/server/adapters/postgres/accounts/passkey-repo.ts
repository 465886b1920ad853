import type {
  ChallengeUse,
  ChangeRejection,
  PasskeyChange,
  PasskeyRepo,
} from '../../../domain/accounts/passkeys.ts'
import { byUser } from '../../../kernel/audit.ts'
import type { Db, Tx } from '../db.ts'
import { nullOnUniqueViolation } from '../errors.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'

type Options = {
  /** ADMIN_REQUIRE_PASSKEY. */
  adminsNeedPasskey: boolean
  /** Keys of the configured sign-in providers. A user cannot sign in with identities of others. */
  providers: string[]
}

export function createPasskeyRepo(db: Db, { adminsNeedPasskey, providers }: Options): PasskeyRepo {
  /** Runs `work` if the session can change the user's passkeys. Such changes run one after another. */
  function change<T>(
    { session, onChange }: PasskeyChange,
    work: (tx: Tx, sql: Sql) => Promise<T>,
  ): Promise<T | ChangeRejection> {
    const { id, epoch, sessionId } = session
    return db.transaction(async (tx, sql) => {
      const [found] = await sql.rows<'lockForPasskeyChange'>`
        SELECT s.method, EXISTS (SELECT FROM passkeys WHERE user_id = u.id)
          AND (u.passkey_required OR (u.role = 'admin' AND ${adminsNeedPasskey}::boolean)) AS required
        FROM users u JOIN sessions s ON s.user_id = u.id
        WHERE u.id = ${id}::uuid AND s.id = ${sessionId}::uuid AND u.session_epoch = ${epoch}::int
          AND u.deleted_at IS NULL AND u.disabled_at IS NULL
        FOR NO KEY UPDATE OF u`
      if (!found) return 'accessEnded'
      // A session started with a password can be older than the first passkey.
      if (found.required && found.method !== 'passkey' && found.method !== 'recovery_code')
        return 'passkeyRequired'
      await onChange()
      return work(tx, sql)
    })
  }

  const eventOf = ({ session, address }: PasskeyChange) => byUser(session.id, address)

  return {
    list: (userId) =>
      db.passkey.findMany({
        where: { userId },
        orderBy: { id: 'desc' },
        select: { id: true, name: true, createdAt: true, lastUsedAt: true, backedUp: true },
      }),

    credentials: (userId) =>
      db.passkey.findMany({ where: { userId }, select: { credentialId: true, transports: true } }),

    async settings(userId) {
      const [found] = await db.sql.rows<'findPasskeySettings'>`
        SELECT passkey_required AS required, password_hash IS NOT NULL AS "hasPassword",
          (SELECT count(*)::int FROM recovery_codes WHERE user_id = u.id) AS "recoveryCodes"
        FROM users u WHERE id = ${userId}::uuid`
      return found ?? { required: true, recoveryCodes: 0, hasPassword: false }
    },

    async add({ recoveryCodes, challenge, ...passkey }, by, max) {
      const added = change(by, async (tx, sql) => {
        const { id: userId, sessionId } = by.session
        if (!(await consumeChallenge(sql, challenge))) return 'challengeUsed'
        if ((await tx.passkey.count({ where: { userId } })) >= max) return 'tooMany'
        const data = { ...passkey, counter: BigInt(passkey.counter), userId, createdAt: by.at }
        await tx.passkey.create({ data })
        await tx.session.update({ where: { id: sessionId }, data: { method: 'passkey' } })
        const { id: subjectId, name } = passkey
        await addAudit(sql, { action: 'passkey.created', ...eventOf(by), subjectId, details: { name } })
        if ((await tx.recoveryCode.count({ where: { userId } })) > 0) return 'added'
        await storeCodes(tx, recoveryCodes, by)
        return 'first'
      })
      return (await nullOnUniqueViolation(added)) ?? 'taken'
    },

    rename: (id, name, by) =>
      change(by, async (tx, sql) => {
        const where = { id, userId: by.session.id }
        const found = await tx.passkey.findUnique({ where, select: { name: true } })
        if (!found) return 'notFound'
        if (found.name === name) return 'done'
        await tx.passkey.update({ where, data: { name } })
        const details = { field: 'name', old: found.name, new: name }
        await addAudit(sql, { action: 'passkey.changed', ...eventOf(by), subjectId: id, details })
        return 'done'
      }),

    remove: (id, by) =>
      change(by, async (tx, sql) => {
        const userId = by.session.id
        const passkeys = await tx.passkey.findMany({ where: { userId }, select: { id: true, name: true } })
        const removed = passkeys.find((passkey) => passkey.id === id)
        if (!removed) return 'notFound'
        if (passkeys.length === 1) {
          const user = await tx.user.findUniqueOrThrow({
            where: { id: userId },
            select: {
              role: true,
              passwordHash: true,
              _count: { select: { accounts: { where: { provider: { in: providers } } } } },
            },
          })
          if (adminsNeedPasskey && user.role === 'admin') return 'lastOfAdministrator'
          if (user.passwordHash === null && user._count.accounts === 0) return 'lastSignInMethod'
          await tx.recoveryCode.deleteMany({ where: { userId } })
        }
        await tx.passkey.delete({ where: { id } })
        const details = { name: removed.name }
        await addAudit(sql, { action: 'passkey.deleted', ...eventOf(by), subjectId: id, details })
        return 'done'
      }),

    setRequired: (required, by) =>
      change<'done'>(by, async (tx, sql) => {
        const where = { id: by.session.id, passkeyRequired: !required }
        const { count } = await tx.user.updateMany({ where, data: { passkeyRequired: required } })
        if (count === 0) return 'done'
        const details = { field: 'required', old: !required, new: required }
        await addAudit(sql, { action: 'passkey.changed', ...eventOf(by), details })
        return 'done'
      }),

    removePassword: (by) =>
      change(by, async (tx, sql) => {
        const userId = by.session.id
        if ((await tx.passkey.count({ where: { userId } })) === 0) return 'notFound'
        const where = { id: userId, passwordHash: { not: null } }
        const { count } = await tx.user.updateMany({ where, data: { passwordHash: null } })
        if (count === 0) return 'done'
        const details = { removed: true }
        await addAudit(sql, { action: 'password.changed', ...eventOf(by), details })
        return 'done'
      }),

    replaceRecoveryCodes: (hashes, by) =>
      change(by, async (tx, sql) => {
        const where = { userId: by.session.id }
        if ((await tx.passkey.count({ where })) === 0) return 'notFound'
        await tx.recoveryCode.deleteMany({ where })
        await storeCodes(tx, hashes, by)
        await addAudit(sql, { action: 'recovery_codes.created', ...eventOf(by) })
        return 'done'
      }),

    isRequired: async (userId) =>
      (await db.sql.row<'isPasskeyRequired'>`
        SELECT id FROM users u
        WHERE id = ${userId}::uuid AND (passkey_required OR (role = 'admin' AND ${adminsNeedPasskey}::boolean))
          AND EXISTS (SELECT FROM passkeys WHERE user_id = u.id)`) !== null,

    async findCredential(credentialId) {
      const [found] = await db.sql.rows<'findPasskey'>`
        SELECT id, credential_id AS "credentialId", user_id AS "userId", public_key AS "publicKey",
          counter::float8 AS counter, transports
        FROM passkeys WHERE credential_id = ${credentialId}`
      if (!found) return null
      const { publicKey, transports, ...passkey } = found
      return { ...passkey, publicKey: new Uint8Array(publicKey), transports: transports ?? [] }
    },

    recordUse: (id, { counter, backedUp, at, challenge }) => db.sql.wrote<'recordPasskeyUse'>`
      WITH used AS (
        INSERT INTO used_challenges (hash, expires_at) VALUES (${challenge.hash}, ${challenge.expiresAt})
        ON CONFLICT DO NOTHING RETURNING hash)
      UPDATE passkeys SET counter = ${counter}::float8::bigint, backed_up = ${backedUp}, last_used_at = ${at}::timestamptz
      FROM used
      WHERE id = ${id}::uuid
        AND (counter < ${counter}::float8::bigint OR (counter = 0 AND ${counter}::float8::bigint = 0))`,

    spendRecoveryCode: (userId, hash, address) =>
      db.transaction(async (tx, sql) => {
        const { count } = await tx.recoveryCode.deleteMany({ where: { userId, hash } })
        if (count === 0) return false
        const left = await tx.recoveryCode.count({ where: { userId } })
        await addAudit(sql, { action: 'recovery_code.used', ...byUser(userId, address), details: { left } })
        return true
      }),

    deleteExpired: (at, limit) => db.sql.run<'deleteUsedChallenges'>`
      DELETE FROM used_challenges WHERE hash IN (
        SELECT hash FROM used_challenges WHERE expires_at <= ${at}
        ORDER BY expires_at LIMIT ${limit}::int FOR UPDATE SKIP LOCKED)`,
  }
}

/** Returns false if the challenge was answered before. */
const consumeChallenge = (sql: Sql, { hash, expiresAt }: ChallengeUse) => sql.wrote<'consumeChallenge'>`
  INSERT INTO used_challenges (hash, expires_at) VALUES (${hash}, ${expiresAt}) ON CONFLICT DO NOTHING`

async function storeCodes(tx: Tx, hashes: string[], { session, at }: PasskeyChange): Promise<void> {
  await tx.recoveryCode.createMany({
    data: hashes.map((hash) => ({ hash, userId: session.id, createdAt: at })),
  })
}
