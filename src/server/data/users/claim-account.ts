import type { Prisma } from '../../../generated/prisma/client.ts'
import { ADMIN_ACTOR, userActor } from '../../audit.ts'
import { addAudit } from '../audit/audit-repo.ts'
import { sqlIn } from '../postgres/sql.ts'

export type Claim = {
  at: Date
  /** Who vouches for the email, for the audit log: a provider, `operator`, or `mail` for a mailed link. */
  by: string
  name: string | null
  passwordHash: string | null
}

/**
 * Gives an account whose email nobody had proven to the one who proves it now, without anything by which those who
 * had it before could get in, be notified or be seen: identities, password, sessions, API keys, shares, devices,
 * preferences, topics, templates, name.
 * Files stay: whoever signed up may be the owner, and files give no access. False if the email was proven
 * in the meantime. A user of the external issuer is never given to anybody, whatever his email.
 */
export async function claimAccount(
  tx: Prisma.TransactionClient,
  userId: string,
  { at, by, name, passwordHash }: Claim,
): Promise<boolean> {
  const { count } = await tx.user.updateMany({
    where: { id: userId, emailVerifiedAt: null, externalIssuer: null, deletedAt: null },
    data: { emailVerifiedAt: at, name, passwordHash, sessionEpoch: { increment: 1 } },
  })
  if (count === 0) return false
  const { count: identities } = await tx.account.deleteMany({ where: { userId } })
  await tx.apiKey.deleteMany({ where: { userId } })
  await tx.share.deleteMany({ where: { userId } })
  await tx.emailToken.deleteMany({ where: { userId } })
  // Registrations under way are signed in already: those that hold this lock are deleted below, later ones refused.
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended('devices:' || ${userId}, 0))`
  const { count: devices } = await tx.device.deleteMany({ where: { userId } })
  await tx.movedDevice.deleteMany({ where: { userId } })
  await tx.notificationPreference.deleteMany({ where: { userId } })
  await tx.topicSubscription.deleteMany({ where: { userId } })
  await tx.messageTemplate.deleteMany({ where: { userId } })
  await tx.inboxMark.deleteMany({ where: { userId } })
  // From where is in the entry of the sign-in that follows.
  await addAudit(sqlIn(tx), {
    action: 'account.taken_over',
    actor: by === 'operator' ? ADMIN_ACTOR : userActor(userId),
    userId,
    address: null,
    details: { provider: by, identities, devices },
  })
  return true
}
