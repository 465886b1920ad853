import type { AccountDeletionRepo } from '../../../domain/accounts/account-deletion.ts'
import type { Db } from '../db.ts'
import { closeAccount } from './close-account.ts'
import { lockEmail, PENDING } from './take-email.ts'

export function createAccountDeletionRepo(db: Db): AccountDeletionRepo {
  return {
    begin: (id, by) => db.transaction((tx, sql) => closeAccount(tx, sql, id, by)),

    async closeOverdue(at, limit) {
      const overdue = await db.user.findMany({
        where: { ...PENDING, verifyBy: { lte: at } },
        orderBy: { verifyBy: 'asc' },
        take: limit,
        select: { id: true, email: true, claimedEmail: true },
      })
      for (const { id, email, claimedEmail } of overdue)
        await db.transaction(async (tx, sql) => {
          await lockEmail(sql, email ?? claimedEmail ?? '')
          // It could have been verified or deleted in the meantime.
          if ((await tx.user.count({ where: { ...PENDING, id } })) === 0) return
          await closeAccount(tx, sql, id, { actor: null, address: null, at })
        })
      return overdue.length
    },

    // Every process calls this at startup. The first call of Prisma's compiler would take 0.1 s of CPU.
    async findUnfinished(after, limit) {
      const rows = await db.sql.rows<'findUnfinishedDeletions'>`
        SELECT id FROM users WHERE deleted_at IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
        ORDER BY id LIMIT ${limit}`
      return rows.map(({ id }) => id)
    },

    async finish(id) {
      const { count } = await db.user.deleteMany({
        where: { id, deletedAt: { not: null }, files: { none: {} } },
      })
      return count > 0
    },
  }
}
