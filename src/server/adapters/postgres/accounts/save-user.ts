import type { Role } from '../../../domain/accounts/principal.ts'
import { ADMIN_ACTOR, changedFields } from '../../../kernel/audit.ts'
import { newId } from '../../../kernel/ids.ts'
import type { Db, Tx } from '../db.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'
import { claimAccount } from './claim-account.ts'
import { closePending, lockEmail } from './take-email.ts'

export type UserChange = {
  email: string
  /** A new password ends all sessions. */
  passwordHash?: string
  /** Null resets it to DEFAULT_STORAGE_QUOTA_BYTES. */
  quotaBytes?: bigint | null
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
  { email, passwordHash, quotaBytes, role, removePasskeys = false }: UserChange,
): Promise<{ id: string; email: string } | 'missing' | 'unverified'> {
  return db.transaction(async (tx, sql) => {
    const before = await tx.user.findUnique({
      where: { email },
      select: { role: true, emailVerifiedAt: true, quotaBytes: true },
    })
    if (passwordHash !== undefined) await savePassword(tx, sql, email, passwordHash, !before)
    else if (!before) return 'missing'
    else if (role === 'admin' && !before.emailVerifiedAt) return 'unverified'
    const { id } = await tx.user.update({
      where: { email },
      data: { quotaBytes, role },
      select: { id: true },
    })
    if (removePasskeys) await deletePasskeys(tx, sql, id)
    const old = { role: before?.role ?? 'user', quotaBytes: numberOf(before?.quotaBytes ?? null) }
    const changes = changedFields(old, {
      role,
      quotaBytes: quotaBytes === undefined ? undefined : numberOf(quotaBytes),
    })
    for (const details of changes) {
      const action = details.field === 'role' ? 'user.role.changed' : 'user.changed'
      await addAudit(sql, { ...BY_OPERATOR, action, userId: id, details })
    }
    return { id, email }
  })
}

const numberOf = (bytes: bigint | null) => (bytes === null ? null : Number(bytes))

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

async function savePassword(tx: Tx, sql: Sql, email: string, passwordHash: string, isNew: boolean) {
  const at = new Date()
  const select = { id: true }
  const unverified = await tx.user.findFirst({ where: { email, emailVerifiedAt: null }, select })
  if (unverified) await claimAccount(tx, sql, unverified.id, { at, by: 'operator', name: null, passwordHash })
  else if (isNew) {
    await lockEmail(sql, email)
    await closePending(tx, sql, email, { at })
  }
  const { id } = await tx.user.upsert({
    where: { email },
    create: { id: newId(), email, passwordHash, emailVerifiedAt: at },
    update: { passwordHash, sessionEpoch: { increment: 1 } },
    select,
  })
  await addAudit(sql, { ...BY_OPERATOR, action: isNew ? 'account.created' : 'password.changed', userId: id })
}
