import type { AuditEvent } from '../../../kernel/audit.ts'
import type { Tx } from '../db.ts'
import { cancelAllOfUser } from '../push/messages/cancellation.ts'
import type { Sql } from '../sql.ts'
import { addAudit } from './audit-repo.ts'

/** The administrator and the time, for the audit entry. */
export type DisabledBy = Pick<AuditEvent, 'actor' | 'address'> & { at: Date }

/**
 * Disables a user, in a transaction. Ends all sessions, cancels what the user's push tokens have not sent, and
 * blocks every credential and all pushes until the user is enabled. Permanently ends the API keys of users who sign
 * in only at the external issuer. Takes effect in all replicas at the commit, because every check reads the row.
 * Changes nothing for a user who is already disabled.
 */
export async function disableUser(
  tx: Tx,
  sql: Sql,
  id: string,
  { actor, address, at }: DisabledBy,
): Promise<void> {
  const { count } = await tx.user.updateMany({
    where: { id, deletedAt: null, disabledAt: null },
    data: { disabledAt: at, sessionEpoch: { increment: 1 } },
  })
  if (count === 0) return
  // Users who only sign in at the external issuer could not revoke their keys here.
  const keys = await tx.apiKey.deleteMany({
    where: { user: { id, email: null, externalIssuer: { not: null } } },
  })
  const details = {
    cancelled: await cancelAllOfUser(sql, id),
    ...(keys.count > 0 && { apiKeys: keys.count }),
  }
  await addAudit(sql, { action: 'user.disabled', actor, userId: id, address, details })
}

/** Makes keys, push tokens and devices work again, in a transaction; sessions stay ended. */
export async function enableUser(
  tx: Tx,
  sql: Sql,
  id: string,
  { actor, address }: DisabledBy,
): Promise<void> {
  const { count } = await tx.user.updateMany({
    where: { id, deletedAt: null, disabledAt: { not: null } },
    data: { disabledAt: null },
  })
  if (count > 0) await addAudit(sql, { action: 'user.enabled', actor, userId: id, address })
}
