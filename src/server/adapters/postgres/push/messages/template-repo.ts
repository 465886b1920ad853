import type { Prisma } from '../../../../../generated/prisma/client.ts'
import type { TemplateRepo } from '../../../../domain/push/messages/templates.ts'
import { lockUser } from '../../accounts/lock-user.ts'
import type { Db } from '../../db.ts'

export function createTemplateRepo(db: Db): TemplateRepo {
  return {
    list: (userId) => db.sql.rows<'listTemplates'>`
      SELECT name, content, updated_at AS "updatedAt" FROM message_templates
      WHERE user_id = ${userId}::uuid ORDER BY name`,

    save({ id: userId, epoch }, { name, content }, maxPerUser) {
      return db.transaction(async (tx, sql) => {
        if (!(await lockUser(sql, userId, epoch))) return 'noUser'
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
