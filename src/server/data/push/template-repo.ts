import type { Prisma } from '../../../generated/prisma/client.ts'
import type { TemplateRepo } from '../../push/ports.ts'
import type { Db } from '../postgres/db.ts'
import { sqlIn } from '../postgres/sql.ts'
import { lockUser } from '../users/lock-user.ts'

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
        if (!(await lockUser(sqlIn(tx), userId, epoch))) return 'noUser'
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
