import { ADMIN_ACTOR, userActor } from '../../../kernel/audit.ts'
import type { Tx } from '../db.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'
import { deleteBelongings } from './close-account.ts'
import { takeEmail } from './take-email.ts'

export type Claim = {
  at: Date
  /** Source of the verification, for the audit log: a provider, `operator`, or `mail` for an emailed link. */
  by: string
  name: string | null
  passwordHash: string | null
}

/**
 * Gives an account with an unverified email to the user who verifies it now. Deletes everything through which earlier
 * users of the account could sign in, be notified or be seen. Files stay: the user who signed up may be the owner, and
 * files give no access. Deletes other sign-ups with the email. Returns false if the email was verified in the meantime. A
 * user of the external issuer is never given to anyone, whatever their email.
 */
export async function claimAccount(tx: Tx, sql: Sql, userId: string, { at, by, name, passwordHash }: Claim) {
  const where = { id: userId, emailVerifiedAt: null, externalIssuer: null, deletedAt: null }
  if ((await tx.user.count({ where })) === 0 || !(await takeEmail(tx, sql, userId, at))) return false
  const { count } = await tx.user.updateMany({
    where,
    data: { emailVerifiedAt: at, name, passwordHash, passkeyRequired: true, sessionEpoch: { increment: 1 } },
  })
  if (count === 0) return false
  const details = { provider: by, ...(await deleteBelongings(tx, userId)) }
  await tx.inboxMark.deleteMany({ where: { userId } })
  const actor = by === 'operator' ? ADMIN_ACTOR : userActor(userId)
  // The address is in the entry of the sign-in that follows.
  await addAudit(sql, { action: 'account.taken_over', actor, userId, address: null, details })
  return true
}
