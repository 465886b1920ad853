import type { AccountDeletionRepo } from '../../../domain/accounts/account-deletion.ts'
import type { Db } from '../db.ts'
import { CANCEL_ALL_TIMEOUT_MS } from '../push/messages/cancellation.ts'
import { closeAccount } from './close-account.ts'
import { lockEmail, PENDING } from './take-email.ts'

export function createAccountDeletionRepo(db: Db): AccountDeletionRepo {
  return {
    begin: (id, by) => db.repeatable((tx, sql) => closeAccount(tx, sql, id, by), CANCEL_ALL_TIMEOUT_MS),

    async closeOverdue(at, limit) {
      const overdue = await db.user.findMany({
        where: { ...PENDING, verifyBy: { lte: at } },
        orderBy: { verifyBy: 'asc' },
        take: limit,
        select: { id: true, email: true, claimedEmail: true },
      })
      const errors: unknown[] = []
      for (const { id, email, claimedEmail } of overdue) {
        const close = db.transaction(async (tx, sql) => {
          await lockEmail(sql, email ?? claimedEmail ?? '')
          // It could have been verified or deleted in the meantime.
          if ((await tx.user.count({ where: { ...PENDING, id } })) === 0) return
          await closeAccount(tx, sql, id, { actor: null, address: null, at })
        })
        await close.catch((error: unknown) => errors.push(error))
      }
      if (errors.length > 0) throw errors[0]
      return overdue.length
    },

    // Every process calls this at startup. The first call of Prisma's compiler would take 0.1 s of CPU.
    async findUnfinished(after, limit) {
      const rows = await db.sql.rows<'findUnfinishedDeletions'>`
        SELECT id FROM users WHERE deleted_at IS NOT NULL AND (${after}::uuid IS NULL OR id > ${after}::uuid)
        ORDER BY id LIMIT ${limit}`
      return rows.map(({ id }) => id)
    },

    async releasePushTokens(id, limit) {
      const messages = await db.sql.run<'detachMessages'>`
        UPDATE push_messages SET push_token_id = NULL WHERE id IN (
          SELECT m.id FROM push_tokens t JOIN push_messages m ON m.push_token_id = t.id
          WHERE t.user_id = ${id}::uuid LIMIT ${limit}::int FOR NO KEY UPDATE OF m)`
      if (messages === limit) return messages
      return db.sql.run<'deleteKeysOfUser'>`
        DELETE FROM idempotency_keys WHERE (push_token_id, key) IN (
          SELECT k.push_token_id, k.key FROM push_tokens t JOIN idempotency_keys k ON k.push_token_id = t.id
          WHERE t.user_id = ${id}::uuid LIMIT ${limit}::int FOR UPDATE OF k)`
    },

    async finish(id) {
      if ((await db.file.count({ where: { userId: id } })) > 0) return false
      const { count } = await db.user.deleteMany({
        where: { id, deletedAt: { not: null }, files: { none: {} } },
      })
      return count > 0
    },
  }
}
