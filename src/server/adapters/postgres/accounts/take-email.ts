import type { Prisma } from '../../../../generated/prisma/client.ts'
import type { Tx } from '../db.ts'
import type { Sql } from '../sql.ts'
import { closeAccount, lockDevices } from './close-account.ts'

/** Sign-ups that can be deleted: they have not verified their email, and have neither files nor push tokens. */
export const PENDING = {
  emailVerifiedAt: null,
  verifyBy: { not: null },
  deletedAt: null,
  files: { none: {} },
  pushTokens: { none: {} },
} satisfies Prisma.UserWhereInput

/** Lets transactions about the accounts of one email wait for each other. */
export async function lockEmail(sql: Sql, email: string): Promise<void> {
  await sql.write<'lockEmail'>`SELECT pg_advisory_xact_lock(hashtextextended('email:' || ${email}, 0))`
}

/** Deletes all sign-ups with this email that have not verified it, except one. */
export async function closePending(
  tx: Tx,
  sql: Sql,
  email: string,
  { except, at }: { except?: string; at: Date },
): Promise<void> {
  const where = {
    ...PENDING,
    OR: [{ email }, { claimedEmail: email }],
    ...(except && { id: { not: except } }),
  }
  for (const { id } of await tx.user.findMany({ where, select: { id: true } }))
    await closeAccount(tx, sql, id, { actor: null, address: null, at })
}

/**
 * Before a user's email is marked as verified, gives them the email if they only claim it, and deletes the other sign-ups
 * with it. Locks the email, then the user's devices. Returns false if another account has the email.
 */
export async function takeEmail(tx: Tx, sql: Sql, userId: string, at: Date): Promise<boolean> {
  const select = { email: true, claimedEmail: true }
  const user = await tx.user.findUnique({ where: { id: userId }, select })
  const email = user?.email ?? user?.claimedEmail
  if (email != null) await lockEmail(sql, email)
  await lockDevices(sql, userId)
  if (email == null) return true
  const isClaim = user?.email !== email
  // First, because sign-ups with the email of another account do not end.
  if (isClaim && (await tx.user.count({ where: { email, NOT: PENDING } })) > 0) return false
  await closePending(tx, sql, email, { except: userId, at })
  if (!isClaim) return true
  const where = { id: userId, claimedEmail: email, deletedAt: null }
  const { count } = await tx.user.updateMany({ where, data: { email, claimedEmail: null } })
  return count > 0
}
