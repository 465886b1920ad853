import type { Prisma } from '../../../generated/prisma/client.ts'
import type { TemplateRepo } from '../../push/ports.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'

export function createTemplateRepo(db: Db): TemplateRepo {
  return {
    async list(userId) {
      const rows = await db.messageTemplate.findMany({ where: { userId }, orderBy: { name: 'asc' } })
      return rows.map(({ name, content, updatedAt }) => ({
        name,
        content: content as Record<string, unknown>,
        updatedAt,
      }))
    },

    save({ id: userId, epoch }, { name, content }, maxPerUser) {
      return db.$transaction(async (tx) => {
        // Locked: two at once must not both be the last one allowed, nor come after the account was taken over.
        const [user] = await sqlIn(tx).rows<{ id: string }>`
          SELECT id FROM users WHERE id = ${userId}::uuid AND deleted_at IS NULL AND session_epoch = ${epoch}::int
          FOR NO KEY UPDATE`
        if (!user) return 'noUser'
        const others = await tx.messageTemplate.count({ where: { userId, name: { not: name } } })
        if (others >= maxPerUser) return 'tooMany'
        const values = { content: content as Prisma.InputJsonObject, updatedAt: new Date() }
        await tx.messageTemplate.upsert({
          where: { userId_name: { userId, name } },
          create: { userId, name, ...values },
          update: values,
        })
        return 'saved'
      })
    },

    async remove(userId, name) {
      await db.messageTemplate.deleteMany({ where: { userId, name } })
    },
  }
}
