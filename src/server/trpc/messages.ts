import { z } from 'zod'
import { listMessagesInput, messageIdInput, messageOutput, platform, sendTestInput } from '../push/schema.ts'
import { isoTime } from '../validation.ts'
import { router, userProcedure } from './init.ts'

const message = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string().nullable(),
  body: z.string(),
  category: z.string(),
  imageUrl: z.string().nullable(),
  link: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  /** It went to everybody. */
  broadcast: z.boolean(),
  unread: z.boolean(),
  createdAt: isoTime,
})

const sentMessage = messageOutput.omit({ unknownUserIds: true }).extend({
  /** Null: silent. */
  title: z.string().nullable(),
  body: z.string().nullable(),
  category: z.string(),
  /** `users`: several that were named. */
  target: z.enum(['all', 'topic', 'users', 'user']),
  topic: z.string().nullable(),
  /** Name of the push token. */
  tokenName: z.string(),
  createdAt: isoTime,
})

/** What was recorded from `at` on, for `minutes`. */
const stretch = z.object({
  at: isoTime,
  sent: z.number(),
  failed: z.number(),
  removed: z.number(),
})

const success = z.object({ success: z.literal(true) })
const nextCursor = z.string().nullable()

export const messagesRouter = router({
  /** What was sent to the user, newest first. */
  list: userProcedure
    .input(listMessagesInput.default({ limit: 50 }))
    .output(z.object({ items: z.array(message), nextCursor }))
    .query(({ ctx, input }) => ctx.services.push.inbox.list(ctx.user.id, input)),

  unread: userProcedure
    .output(z.object({ count: z.number() }))
    .query(({ ctx }) => ctx.services.push.inbox.unread(ctx.user.id)),

  markRead: userProcedure
    .input(messageIdInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.inbox.markRead(ctx.user.id, input.messageId)),

  /** What the user's push tokens have sent, newest first. */
  sent: userProcedure
    .input(listMessagesInput.default({ limit: 50 }))
    .output(z.object({ items: z.array(sentMessage), nextCursor }))
    .query(({ ctx, input }) => ctx.services.push.sentMessages.list(ctx.user.id, input)),

  failures: userProcedure
    .input(messageIdInput)
    .output(z.object({ items: z.array(z.object({ platform, reason: z.string(), count: z.number() })) }))
    .query(({ ctx, input }) => ctx.services.push.sentMessages.failures(ctx.user.id, input.messageId)),

  timeline: userProcedure
    .input(messageIdInput)
    .output(z.object({ minutes: z.number(), items: z.array(stretch) }))
    .query(({ ctx, input }) => ctx.services.push.sentMessages.timeline(ctx.user.id, input.messageId)),

  cancel: userProcedure
    .input(messageIdInput)
    .output(sentMessage)
    .mutation(({ ctx, input }) =>
      ctx.services.push.sentMessages.cancel(ctx.user.id, input.messageId, ctx.address),
    ),

  /** To the user's own devices, without a push token. */
  sendTest: userProcedure
    .input(sendTestInput)
    .output(messageOutput)
    .mutation(async ({ ctx, input }) => {
      const { push, metrics } = ctx.services
      const answer = await push.sendTest(ctx.user.id, input, ctx.address)
      const { failures: _, ...counts } = answer
      metrics.onMessage('user')
      ctx.log.info({ messageId: answer.id, userId: ctx.user.id, target: 'user', ...counts }, 'test push')
      return answer
    }),
})
