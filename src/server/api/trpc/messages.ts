import { z } from 'zod'
import type { Principal } from '../../domain/accounts/principal.ts'
import { inboxOutput } from '../../domain/push/inbox/inbox.ts'
import * as schema from '../../domain/push/messages/schema.ts'
import * as sent from '../../domain/push/messages/sent-messages.ts'
import { templatesOutput } from '../../domain/push/messages/templates.ts'
import { router, scopedProcedure, succeed, success, userProcedure, verifiedProcedure } from './init.ts'

/** The role counts only in sessions, as in the admin API. */
const readerOf = ({ id, role, via }: Principal): sent.SentMessageReader => ({
  id,
  isAdmin: via === 'session' && role === 'admin',
})

export const messagesRouter = router({
  list: scopedProcedure('messages:read', 'Lists messages sent to the user, newest first.')
    .input(schema.listInboxInput.default({ limit: 50 }))
    .output(inboxOutput)
    .query(({ ctx, input }) => ctx.services.push.inbox.list(ctx.user.id, input)),

  unread: scopedProcedure('messages:read', 'Counts unread messages, up to 100.')
    .output(z.object({ count: z.number() }))
    .query(({ ctx }) => ctx.services.push.inbox.unread(ctx.user.id)),

  markRead: scopedProcedure('messages:read', 'Marks a message and all earlier ones as read. Idempotent.')
    .input(schema.messageIdInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.inbox.markRead(ctx.user.id, input.messageId))),

  sent: userProcedure("Lists messages that the user's push tokens sent, newest first, with counts.")
    .input(schema.listSentInput.default({ limit: 50 }))
    .output(sent.sentMessagesOutput)
    .query(({ ctx, input }) => ctx.services.push.sentMessages.list(readerOf(ctx.user), input)),

  status: userProcedure("Returns a message that one of the user's push tokens sent, with counts and content.")
    .input(schema.messageIdInput)
    .output(sent.sentMessageDetailsOutput)
    .query(({ ctx, input }) => ctx.services.push.sentMessages.find(readerOf(ctx.user), input.messageId)),

  failures: userProcedure('Counts the failed devices of a message by reason.')
    .input(schema.messageIdInput)
    .output(sent.failureCountsOutput)
    .query(({ ctx, input }) => ctx.services.push.sentMessages.failures(readerOf(ctx.user), input.messageId)),

  timeline: userProcedure('Counts sent, failed and removed devices of a message over time.')
    .input(schema.messageIdInput)
    .output(sent.timelineOutput)
    .query(({ ctx, input }) => ctx.services.push.sentMessages.timeline(ctx.user.id, input.messageId)),

  cancel: userProcedure('Cancels what has not been handed to a gateway. Idempotent.')
    .input(schema.messageIdInput)
    .output(sent.sentMessageOutput)
    .mutation(({ ctx, input }) =>
      ctx.services.push.sentMessages.cancel(readerOf(ctx.user), input.messageId, ctx.address),
    ),

  sendTest: userProcedure("Sends a message to the user's own devices, without a push token.")
    .input(schema.sendTestInput)
    .output(schema.messageOutput)
    .mutation(async ({ ctx, input }) => {
      const { push, metrics } = ctx.services
      const message = await push.sendTest(ctx.user.id, input, ctx.address)
      const { failures: _, ...counts } = message
      metrics.onMessage('user')
      ctx.log().info({ messageId: message.id, userId: ctx.user.id, target: 'user', ...counts }, 'test push')
      return message
    }),
})

export const templatesRouter = router({
  list: userProcedure("Lists the user's message templates, sorted by name.")
    .output(templatesOutput)
    .query(({ ctx }) => ctx.services.push.templates.list(ctx.user.id)),

  save: verifiedProcedure('Saves a message template. One with the same name is replaced.')
    .input(schema.saveTemplateInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.templates.save(ctx.user, input))),

  remove: userProcedure('Removes a template. Idempotent.')
    .input(schema.removeTemplateInput)
    .output(success)
    .mutation(({ ctx, input }) => succeed(ctx.services.push.templates.remove(ctx.user.id, input.name))),
})
