import { z } from 'zod'
import { topicInput } from '../push/schema.ts'
import { isoTime } from '../validation.ts'
import { router, userProcedure } from './init.ts'

const success = z.object({ success: z.literal(true) })

export const topicsRouter = router({
  subscribe: userProcedure
    .input(topicInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.topics.subscribe(ctx.user, input.topic)),

  unsubscribe: userProcedure
    .input(topicInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.topics.unsubscribe(ctx.user.id, input.topic)),

  list: userProcedure
    .output(
      z.object({
        items: z.array(z.object({ topic: z.string(), subscribedAt: isoTime })),
      }),
    )
    .query(({ ctx }) => ctx.services.push.topics.list(ctx.user.id)),
})
