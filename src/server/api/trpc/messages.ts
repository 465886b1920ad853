import { z } from 'zod'
import { platform } from '../../domain/push/devices/schema.ts'
import * as schema from '../../domain/push/messages/schema.ts'
import { isoTime } from '../../kernel/validation.ts'
import { router, success, userProcedure, verifiedProcedure } from './init.ts'

const message = z.object({
  id: z.string(),
  title: z.string(),
  subtitle: z.string().nullable(),
  body: z.string(),
  category: z.string(),
  imageUrl: z.string().nullable(),
  link: z.string().nullable(),
  data: z.record(z.string(), z.unknown()),
  /** True if it was sent to all users. */
  broadcast: z.boolean(),
  unread: z.boolean(),
  createdAt: isoTime,
})

const sentMessage = schema.messageOutput.omit({ unknownUserIds: true }).extend({
  /** Null for a silent push, like `body`. */
  title: z.string().nullable(),
  body: z.string().nullable(),
  category: z.string(),
  /** `users`: the send named several users. */
  target: z.enum(['all', 'topic', 'users', 'user']),
  topic: z.string().nullable(),
  /** Name of the push token. */
  tokenName: z.string(),
  createdAt: isoTime,
})

/** Counts of the `minutes` that begin at `at`. */
const interval = z.object({
  at: isoTime,
  sent: z.number(),
  failed: z.number(),
  removed: z.number(),
})

const nextCursor = z.string().nullable()

export const messagesRouter = router({
  list: userProcedure
    .meta({ summary: 'Messages sent to the user, newest first.' })
    .input(schema.listMessagesInput.default({ limit: 50 }))
    .output(z.object({ items: z.array(message), nextCursor }))
    .query(({ ctx, input }) => ctx.services.push.inbox.list(ctx.user.id, input)),

  unread: userProcedure
    .meta({ summary: 'Number of unread messages, up to 100.' })
    .output(z.object({ count: z.number() }))
    .query(({ ctx }) => ctx.services.push.inbox.unread(ctx.user.id)),

  markRead: userProcedure
    .meta({ summary: 'Marks a message and all earlier ones as read. Idempotent.' })
    .input(schema.messageIdInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.inbox.markRead(ctx.user.id, input.messageId)),

  sent: userProcedure
    .meta({ summary: "Messages that the user's push tokens sent, newest first, with counts." })
    .input(schema.listMessagesInput.default({ limit: 50 }))
    .output(z.object({ items: z.array(sentMessage), nextCursor }))
    .query(({ ctx, input }) => ctx.services.push.sentMessages.list(ctx.user.id, input)),

  failures: userProcedure
    .meta({ summary: 'Why a message failed, and for how many devices.' })
    .input(schema.messageIdInput)
    .output(z.object({ items: z.array(z.object({ platform, reason: z.string(), count: z.number() })) }))
    .query(({ ctx, input }) => ctx.services.push.sentMessages.failures(ctx.user.id, input.messageId)),

  timeline: userProcedure
    .meta({ summary: 'Counts of sent, failed and removed devices of a message over time.' })
    .input(schema.messageIdInput)
    .output(z.object({ minutes: z.number(), items: z.array(interval) }))
    .query(({ ctx, input }) => ctx.services.push.sentMessages.timeline(ctx.user.id, input.messageId)),

  cancel: userProcedure
    .meta({ summary: 'Cancels what has not been handed to a gateway. Idempotent.' })
    .input(schema.messageIdInput)
    .output(sentMessage)
    .mutation(({ ctx, input }) =>
      ctx.services.push.sentMessages.cancel(ctx.user.id, input.messageId, ctx.address),
    ),

  sendTest: userProcedure
    .meta({ summary: "Sends a message to the user's own devices, without a push token." })
    .input(schema.sendTestInput)
    .output(schema.messageOutput)
    .mutation(async ({ ctx, input }) => {
      const { push, metrics } = ctx.services
      const message = await push.sendTest(ctx.user.id, input, ctx.address)
      const { failures: _, ...counts } = message
      metrics.onMessage('user')
      ctx.log.info({ messageId: message.id, userId: ctx.user.id, target: 'user', ...counts }, 'test push')
      return message
    }),
})

const template = z.object({
  name: z.string(),
  /** Fields of POST /api/push/send. */
  content: z.record(z.string(), z.unknown()),
  updatedAt: isoTime,
})

export const templatesRouter = router({
  list: userProcedure
    .meta({ summary: "The user's message templates, sorted by name." })
    .output(z.object({ items: z.array(template) }))
    .query(({ ctx }) => ctx.services.push.templates.list(ctx.user.id)),

  save: verifiedProcedure
    .meta({ summary: 'Saves a message template. One with the same name is replaced.' })
    .input(schema.saveTemplateInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.templates.save(ctx.user, input)),

  remove: userProcedure
    .meta({ summary: 'Removes a template. Idempotent.' })
    .input(schema.removeTemplateInput)
    .output(success)
    .mutation(({ ctx, input }) => ctx.services.push.templates.remove(ctx.user.id, input.name)),
})
