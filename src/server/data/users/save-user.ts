import { newId } from '../../ids.ts'
import type { Db } from '../postgres/db.ts'

export type UserChange = {
  email: string
  /** A new password ends all sessions. */
  passwordHash?: string
  /** Null resets it to DEFAULT_STORAGE_QUOTA_BYTES. */
  quotaBytes?: bigint | null
}

/**
 * Creates a user, or changes the one with this email. Returns null if there is none and no password to create one.
 */
export async function saveUser(db: Db, change: UserChange): Promise<{ id: string; email: string } | null> {
  const { email, passwordHash, quotaBytes } = change
  const select = { id: true, email: true } as const
  if (passwordHash === undefined) {
    const [changed] = await db.user.updateManyAndReturn({ where: { email }, data: { quotaBytes }, select })
    return changed ?? null
  }
  return db.user.upsert({
    where: { email },
    create: { id: newId(), email, passwordHash, quotaBytes, emailVerifiedAt: new Date() },
    update: { passwordHash, quotaBytes, sessionEpoch: { increment: 1 } },
    select,
  })
}
