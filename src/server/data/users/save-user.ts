import { ADMIN_ACTOR } from '../../audit.ts'
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
}

/**
 * Creates a user, or changes the one with this email. Returns null if there is none and no password to create one.
 * With a password the operator vouches for the email: if nobody had, the account loses what others put there.
 */
export async function saveUser(db: Db, change: UserChange): Promise<{ id: string; email: string } | null> {
  const { email, passwordHash, quotaBytes } = change
  const select = { id: true, email: true } as const
  if (passwordHash === undefined) {
    const [changed] = await db.user.updateManyAndReturn({ where: { email }, data: { quotaBytes }, select })
    return changed ?? null
  }
  return db.$transaction(async (tx) => {
    const at = new Date()
    const unproven = await tx.user.findFirst({ where: { email, emailVerifiedAt: null }, select })
    if (unproven) await claimAccount(tx, unproven.id, { at, by: 'operator', name: null, passwordHash })
    const user = await tx.user.upsert({
      where: { email },
      create: { id: newId(), email, passwordHash, quotaBytes, emailVerifiedAt: at },
      update: { passwordHash, quotaBytes, sessionEpoch: { increment: 1 } },
      select,
    })
    await addAudit(sqlIn(tx), {
      action: 'password.changed',
      actor: ADMIN_ACTOR,
      userId: user.id,
      address: null,
    })
    return user
  })
}
