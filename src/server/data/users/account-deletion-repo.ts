import type { AccountDeletionRepo } from '../../auth/ports.ts'
import { newId } from '../../ids.ts'
import type { Db } from '../postgres/db.ts'

export function createAccountDeletionRepo(db: Db): AccountDeletionRepo {
  return {
    async begin(id, at) {
      await db.$transaction([
        db.user.updateMany({
          where: { id, deletedAt: null },
          data: {
            deletedAt: at,
            // Frees the email. Without an @ nobody can sign in or sign up with the new one.
            email: `deleted-${id}`,
            name: null,
            passwordHash: null,
            sessionEpoch: { increment: 1 },
          },
        }),
        db.account.deleteMany({ where: { userId: id } }),
        db.device.deleteMany({ where: { userId: id } }),
        db.pushToken.deleteMany({ where: { userId: id } }),
        db.notificationPreference.deleteMany({ where: { userId: id } }),
        db.auditEntry.create({ data: { id: newId(), action: 'account.deleted', subjectId: id } }),
      ])
    },

    async findUnfinished(after, limit) {
      const rows = await db.user.findMany({
        where: { deletedAt: { not: null }, id: { gt: after ?? undefined } },
        orderBy: { id: 'asc' },
        take: limit,
        select: { id: true },
      })
      return rows.map((row) => row.id)
    },

    async finish(id) {
      const { count } = await db.user.deleteMany({
        where: { id, deletedAt: { not: null }, files: { none: {} } },
      })
      return count > 0
    },
  }
}
