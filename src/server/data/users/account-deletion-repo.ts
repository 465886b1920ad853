import type { AccountDeletionRepo } from '../../auth/ports.ts'
import { addAudit } from '../audit/audit-repo.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { cancelUnfinished } from '../push/cancellation.ts'

export function createAccountDeletionRepo(db: Db): AccountDeletionRepo {
  return {
    async begin(id, { actor, address, at }) {
      await db.$transaction(async (tx) => {
        const sql = sqlIn(tx)
        await tx.user.updateMany({
          where: { id, deletedAt: null },
          data: {
            deletedAt: at,
            // Frees the email and the external identity.
            email: null,
            externalIssuer: null,
            externalId: null,
            displayEmail: null,
            name: null,
            passwordHash: null,
            sessionEpoch: { increment: 1 },
          },
        })
        await tx.account.deleteMany({ where: { userId: id } })
        await tx.apiKey.deleteMany({ where: { userId: id } })
        await tx.share.deleteMany({ where: { userId: id } })
        await tx.emailToken.deleteMany({ where: { userId: id } })
        await tx.device.deleteMany({ where: { userId: id } })
        await tx.movedDevice.deleteMany({ where: { userId: id } })
        const tokens = await tx.pushToken.findMany({ where: { userId: id }, select: { id: true } })
        let cancelled = 0
        for (const token of tokens) cancelled += (await cancelUnfinished(sql, token.id)).length
        // What the tokens have sent stays, in the inboxes of others and in the audit log.
        await tx.pushToken.deleteMany({ where: { userId: id } })
        await tx.notificationPreference.deleteMany({ where: { userId: id } })
        await tx.topicSubscription.deleteMany({ where: { userId: id } })
        await tx.messageTemplate.deleteMany({ where: { userId: id } })
        await addAudit(sql, {
          action: 'account.deleted',
          actor,
          userId: id,
          address,
          details: { cancelled },
        })
      })
    },

    // Every process asks this as it starts. Our own SQL: the first call of Prisma's compiler takes 0.1 s of CPU.
    async findUnfinished(after, limit) {
      const rows = await db.sql.rows<{ id: string }>`
        SELECT id FROM users WHERE deleted_at IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
        ORDER BY id LIMIT ${limit}`
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
