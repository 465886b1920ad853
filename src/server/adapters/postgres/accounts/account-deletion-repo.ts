import type { AccountDeletionRepo } from '../../../domain/accounts/account-deletion.ts'
import type { Db } from '../db.ts'
import { cancelAllOfUser } from '../push/messages/cancellation.ts'
import { addAudit } from './audit-repo.ts'
import { deleteBelongings } from './claim-account.ts'

export function createAccountDeletionRepo(db: Db): AccountDeletionRepo {
  return {
    begin: (id, { actor, address, at }) =>
      db.transaction(async (tx, sql) => {
        // Frees the email and the external identity.
        await sql.run<'beginDeletion'>`
          UPDATE users SET deleted_at = ${at}::timestamptz, email = NULL, external_issuer = NULL, external_id = NULL,
            display_email = NULL, name = NULL, password_hash = NULL, session_epoch = session_epoch + 1
          WHERE id = ${id}::uuid AND deleted_at IS NULL`
        await deleteBelongings(tx, id)
        const cancelled = await cancelAllOfUser(sql, id)
        // Messages that the tokens have sent stay in other users' inboxes and in the audit log.
        await tx.pushToken.deleteMany({ where: { userId: id } })
        await addAudit(sql, { action: 'account.deleted', actor, userId: id, address, details: { cancelled } })
      }),

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
