import { topicInput } from '../../domain/push/topics/schema.ts'
import { topicsOutput } from '../../domain/push/topics/topics.ts'
import { router, succeed, success, userProcedure, verifiedProcedure } from './init.ts'

export const topicsRouter = router({
  subscribe: verifiedProcedure
    .meta({ summary: 'Subscribes to a topic. Idempotent.' })
    .input(topicInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.topics.subscribe(ctx.user, input.topic))),

  unsubscribe: userProcedure
    .meta({ summary: 'Ends a subscription. Idempotent.' })
    .input(topicInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.topics.unsubscribe(ctx.user.id, input.topic))),

  list: userProcedure
    .meta({ summary: "Lists the user's topics." })
    .output(topicsOutput)
    .query(({ ctx }) => ctx.services.push.topics.list(ctx.user.id)),
})
