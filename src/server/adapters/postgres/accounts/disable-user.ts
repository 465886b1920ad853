import type { AuditEvent } from '../../../kernel/audit.ts'
import type { Db } from '../db.ts'
import { cancelAllOfUser } from '../push/messages/cancellation.ts'
import { addAudit } from './audit-repo.ts'

/** The administrator and the time, for the audit entry. */
export type DisabledBy = Pick<AuditEvent, 'actor' | 'address'> & { at: Date }

/**
 * Disables a user in one transaction. Ends all sessions, cancels what the user's push tokens have not sent, and
 * blocks every credential and all pushes until the user is enabled. Permanently ends the API keys of users who sign
 * in only at the external issuer. Takes effect in all replicas at the commit, because every check reads the row.
 * Returns false if the user does not exist. Changes nothing for a user who is already disabled.
 */
export function disableUser(db: Db, id: string, { actor, address, at }: DisabledBy): Promise<boolean> {
  return db.transaction(async (tx, sql) => {
    const { count } = await tx.user.updateMany({
      where: { id, deletedAt: null, disabledAt: null },
      data: { disabledAt: at, sessionEpoch: { increment: 1 } },
    })
    if (count === 0) return (await tx.user.count({ where: { id, deletedAt: null } })) > 0
    // Users who only sign in at the external issuer could not revoke their keys here.
    const keys = await tx.apiKey.deleteMany({
      where: { user: { id, email: null, externalIssuer: { not: null } } },
    })
    const details = {
      cancelled: await cancelAllOfUser(sql, id),
      ...(keys.count > 0 && { apiKeys: keys.count }),
    }
    await addAudit(sql, { action: 'user.disabled', actor, userId: id, address, details })
    return true
  })
}

/** Makes keys, push tokens and devices work again; sessions stay ended. Returns false if the user does not exist. */
export function enableUser(db: Db, id: string, { actor, address }: DisabledBy): Promise<boolean> {
  return db.transaction(async (tx, sql) => {
    const { count } = await tx.user.updateMany({
      where: { id, deletedAt: null, disabledAt: { not: null } },
      data: { disabledAt: null },
    })
    if (count === 0) return (await tx.user.count({ where: { id, deletedAt: null } })) > 0
    await addAudit(sql, { action: 'user.enabled', actor, userId: id, address })
    return true
  })
}
