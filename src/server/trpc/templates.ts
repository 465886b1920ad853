import { z } from 'zod'
import { removeTemplateInput, saveTemplateInput } from '../push/schema.ts'
import { isoTime } from '../validation.ts'
import { router, userProcedure } from './init.ts'

const success = z.object({ success: z.literal(true) })

const template = z.object({
  name: z.string(),
  /** Fields of POST /api/push/send. */
  content: z.record(z.string(), z.unknown()),
  updatedAt: isoTime,
})

export const templatesRouter = router({
  list: userProcedure
    .output(z.object({ items: z.array(template) }))
    .query(({ ctx }) => ctx.services.push.templates.list(ctx.user.id)),

  save: userProcedure
    .input(saveTemplateInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.templates.save(ctx.user, input)),

  remove: userProcedure
    .input(removeTemplateInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.templates.remove(ctx.user.id, input.name)),
})
