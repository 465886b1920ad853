import type { Prisma } from '../../../generated/prisma/client.ts'
import { ADMIN_ACTOR } from '../../audit.ts'
import type { Role } from '../../auth/ports.ts'
import { newId } from '../../ids.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { claimAccount } from './claim-account.ts'

export type UserChange = {
  email: string
  /** A new password ends all sessions. */
  passwordHash?: string
  /** Null resets it to DEFAULT_STORAGE_QUOTA_BYTES. */
  quotaBytes?: bigint | null
  role?: Role
}

export type SavedUser = { id: string; email: string }

/**
 * Creates a user, or changes the one with this email. `missing`: there is none and no password to create one;
 * `unproven`: to become an admin, but somebody signed up with this email who has not proven that it is his.
 * With a password the operator vouches for the email: if nobody had, the account loses what others put there.
 */
export async function saveUser(db: Db, change: UserChange): Promise<SavedUser | 'missing' | 'unproven'> {
  const { email, quotaBytes, role } = change
  return db.$transaction(async (tx) => {
    const before = await tx.user.findUnique({
      where: { email },
      select: { role: true, emailVerifiedAt: true },
    })
    if (change.passwordHash !== undefined) await savePassword(tx, email, change.passwordHash)
    else if (!before) return 'missing'
    else if (role === 'admin' && !before.emailVerifiedAt) return 'unproven'
    const { id } = await tx.user.update({
      where: { email },
      data: { quotaBytes, role },
      select: { id: true },
    })
    if (role !== undefined && role !== (before?.role ?? 'user'))
      await addAudit(sqlIn(tx), {
        action: 'user.role.changed',
        actor: ADMIN_ACTOR,
        userId: id,
        address: null,
        details: { role },
      })
    return { id, email }
  })
}

async function savePassword(
  tx: Prisma.TransactionClient,
  email: string,
  passwordHash: string,
): Promise<void> {
  const at = new Date()
  const unproven = await tx.user.findFirst({ where: { email, emailVerifiedAt: null }, select: { id: true } })
  if (unproven) await claimAccount(tx, unproven.id, { at, by: 'operator', name: null, passwordHash })
  const user = await tx.user.upsert({
    where: { email },
    create: { id: newId(), email, passwordHash, emailVerifiedAt: at },
    update: { passwordHash, sessionEpoch: { increment: 1 } },
    select: { id: true },
  })
  await addAudit(sqlIn(tx), {
    action: 'password.changed',
    actor: ADMIN_ACTOR,
    userId: user.id,
    address: null,
  })
}
