import type { Role } from '../../../domain/accounts/principal.ts'
import { ADMIN_ACTOR } from '../../../kernel/audit.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Db, Tx } from '../db.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'
import { changeUser, createUser } from './managed-user-repo.ts'

export type UserChange = {
  email: string
  /** A new password ends all sessions. */
  passwordHash?: string
  /** Null resets it to DEFAULT_STORAGE_QUOTA_BYTES. */
  quotaBytes?: number | null
  role?: Role
  /** Deletes passkeys and recovery codes, and ends all sessions. */
  removePasskeys?: boolean | undefined
}

/**
 * Creates a user, or changes the one with this email. Returns `missing` if there is no user and no password to create one
 * with, and `unverified` if the user would become an admin without a verified email. With a password, the operator
 * verifies the email. If it was unverified, the account loses what earlier users added.
 */
export async function saveUser(
  db: Db,
  { email, passwordHash, removePasskeys = false, ...change }: UserChange,
): Promise<{ id: string; email: string } | 'missing' | 'unverified'> {
  return db.transaction(async (tx, sql) => {
    const by = { ...BY_OPERATOR, userId: null, at: new Date() }
    const user = await tx.user.findUnique({ where: { email }, select: { id: true } })
    if (!user && passwordHash === undefined) return 'missing'
    const id = user?.id ?? newId()
    if (!user) {
      const values = { name: null, external: null, quotaBytes: null, role: 'user' } as const
      await createUser(tx, sql, { id, email, passwordHash: passwordHash ?? null, ...values }, by)
    }
    const password = user && { passwordHash }
    const result = await changeUser(tx, sql, id, { ...change, ...password }, by, false)
    if (result === 'unverified') return result
    if (removePasskeys) await deletePasskeys(tx, sql, id)
    return { id, email }
  })
}

const BY_OPERATOR = { actor: ADMIN_ACTOR, address: null }

/** Also ends sessions: someone who found the lost passkey could have signed in. */
async function deletePasskeys(tx: Tx, sql: Sql, userId: string): Promise<void> {
  const passkeys = await tx.passkey.findMany({ where: { userId }, select: { id: true, name: true } })
  await tx.passkey.deleteMany({ where: { userId } })
  await tx.recoveryCode.deleteMany({ where: { userId } })
  await tx.user.update({ where: { id: userId }, data: { sessionEpoch: { increment: 1 } } })
  for (const { id: subjectId, name } of passkeys)
    await addAudit(sql, { ...BY_OPERATOR, action: 'passkey.deleted', userId, subjectId, details: { name } })
}
