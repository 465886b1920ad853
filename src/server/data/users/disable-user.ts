import type { AuditEvent } from '../../audit.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { cancelUnfinished } from '../push/cancellation.ts'

/** Who does it, for the audit entry. */
export type DisabledBy = Pick<AuditEvent, 'actor' | 'address'> & { at: Date }

/**
 * Disables a user, in one transaction: all sessions end, no other credential of his is accepted until he is enabled,
 * nothing is sent to his devices, and what his push tokens have unsent is cancelled. Holds in all replicas from the
 * commit on: every check reads the row. False: no such user. A user who is disabled already is left as he is.
 */
export function disableUser(db: Db, id: string, by: DisabledBy): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const sql = sqlIn(tx)
    const { count } = await tx.user.updateMany({
      where: { id, deletedAt: null, disabledAt: null },
      data: { disabledAt: by.at, sessionEpoch: { increment: 1 } },
    })
    if (count === 0) return (await tx.user.count({ where: { id, deletedAt: null } })) > 0
    const tokens = await tx.pushToken.findMany({ where: { userId: id }, select: { id: true } })
    let cancelled = 0
    for (const token of tokens) cancelled += (await cancelUnfinished(sql, token.id)).length
    const { actor, address } = by
    await addAudit(sql, { action: 'user.disabled', actor, userId: id, address, details: { cancelled } })
    return true
  })
}

/** Keys, push tokens and devices work again; sessions stay ended. False: no such user. */
export function enableUser(db: Db, id: string, { actor, address }: DisabledBy): Promise<boolean> {
  return db.$transaction(async (tx) => {
    const { count } = await tx.user.updateMany({
      where: { id, deletedAt: null, disabledAt: { not: null } },
      data: { disabledAt: null },
    })
    if (count === 0) return (await tx.user.count({ where: { id, deletedAt: null } })) > 0
    await addAudit(sqlIn(tx), { action: 'user.enabled', actor, userId: id, address })
    return true
  })
}
