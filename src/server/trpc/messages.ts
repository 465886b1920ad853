import { z } from 'zod'
import { listMessagesInput } from '../push/schema.ts'
import { isoTime } from '../validation.ts'
import { router, userProcedure } from './init.ts'

const message = z.object({
  id: z.string(),
  title: z.string(),
  body: z.string(),
  category: z.string(),
  data: z.record(z.string(), z.unknown()),
  /** It went to everybody. */
  broadcast: z.boolean(),
  createdAt: isoTime,
})

export const messagesRouter = router({
  /** What was sent to the user, newest first. */
  list: userProcedure
    .input(listMessagesInput.default({ limit: 50 }))
    .output(z.object({ items: z.array(message), nextCursor: z.string().nullable() }))
    .query(({ ctx, input }) => ctx.services.push.inbox.list(ctx.user.id, input)),
})
