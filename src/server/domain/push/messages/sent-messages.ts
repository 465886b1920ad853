import { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { type PageInput, pageOf, readPage } from '../../../kernel/page.ts'
import { isoTime } from '../../../kernel/validation.ts'
import type { Timeline } from '../inbox/timeline.ts'
import type { CancelledBy } from './message-repo.ts'
import { type FailureCount, failureCount, type ListSentInput, MAX_REASONS, messageOutput } from './schema.ts'

/** Message in the list of the user whose push token sent it. */
export const sentMessageOutput = messageOutput
  .omit({ unknownUserIds: true })
  .extend({
    /** Null for a silent push, like `body`. */
    title: z.string().nullable(),
    body: z.string().nullable(),
    category: z.string(),
    /** `users`: the send named several users. */
    target: z.enum(['all', 'topic', 'users', 'user']),
    topic: z.string().nullable(),
    /**
     * Recipient of a message to one user, for the recipient and for administrators' sessions. Null for other readers, because
     * they must not learn which user has an ID.
     */
    recipient: z
      .object({ id: z.string(), email: z.string().nullable(), name: z.string().nullable() })
      .nullable(),
    /** Name of the push token. */
    tokenName: z.string(),
    createdAt: isoTime,
  })
  .meta({ id: 'OwnMessage' })

export type SentByUser = z.input<typeof sentMessageOutput>

/** Output of messages.status: the message with what it takes to send it again. */
export const sentMessageDetailsOutput = sentMessageOutput
  .extend({
    /** Fields of POST /api/push/send, without recipients and time. */
    content: z.record(z.string(), z.unknown()),
    /** Recipient of a message to one user. */
    userId: z.string().nullable(),
  })
  .meta({ id: 'OwnMessageDetails' })

export type SentMessageDetails = z.input<typeof sentMessageDetailsOutput>

/** Output of messages.sent. */
export const sentMessagesOutput = pageOf(sentMessageOutput)

/** Output of messages.failures. */
export const failureCountsOutput = z.object({ items: z.array(failureCount) })

/** Counts of the `minutes` that begin at `at`. */
const interval = z.object({ at: isoTime, sent: z.number(), failed: z.number(), removed: z.number() })

/** Output of messages.timeline. */
export const timelineOutput = z.object({ minutes: z.number(), items: z.array(interval) })

/** User who reads the messages of their push tokens. Administrators see the recipients. */
export type SentMessageReader = { id: string; isAdmin: boolean }

type SentFilter = Pick<ListSentInput, 'status' | 'query'>

export type SentSearch = SentFilter & { beforeId: string | undefined; limit: number }

/** Messages that a user's push tokens sent. `find` and `timeline` return null for messages of other users. */
export type SentMessageRepo = {
  /** Newest first, older than `beforeId`. */
  list(reader: SentMessageReader, search: SentSearch): Promise<SentByUser[]>
  find(reader: SentMessageReader, messageId: string): Promise<SentMessageDetails | null>
  timeline(userId: string, messageId: string): Promise<{ timeline: Timeline | null } | null>
  /** Counts failed devices by reason, most frequent first. */
  countFailures(messageId: string, limit: number): Promise<FailureCount[]>
}

type SentMessagesDeps = {
  sentMessages: SentMessageRepo
  cancel(id: string, by: CancelledBy): Promise<void>
}

/** Creates the use cases of messages that a user's push tokens sent. Other messages are NOT_FOUND. */
export function createSentMessages({ sentMessages, cancel }: SentMessagesDeps) {
  /** @throws AppError NOT_FOUND */
  async function find(reader: SentMessageReader, messageId: string): Promise<SentMessageDetails> {
    const found = isId(messageId) ? await sentMessages.find(reader, messageId) : null
    if (!found) throw messageNotFound()
    return found
  }

  return {
    find,

    /**
     * Returns a page, newest first.
     * @throws AppError BAD_REQUEST if this service did not issue the cursor
     */
    list: (reader: SentMessageReader, { status, query, ...page }: PageInput & SentFilter) =>
      readPage(page, (range) =>
        sentMessages.list(reader, { ...range, status, query: query?.trim() || undefined }),
      ),

    /** Counts failed devices by reason: the first 10,000, kept for 7 days. */
    async failures(reader: SentMessageReader, messageId: string) {
      await find(reader, messageId)
      return { items: await sentMessages.countFailures(messageId, MAX_REASONS) }
    },

    /**
     * Returns the results over time as they were recorded, without later corrections by the circuit breaker. Empty for
     * a push to one user, which is sent at once.
     */
    async timeline(userId: string, messageId: string) {
      const found = isId(messageId) ? await sentMessages.timeline(userId, messageId) : null
      if (!found) throw messageNotFound()
      const { minutes = 1, stretches = [] } = found.timeline ?? {}
      return { minutes, items: stretches.map((one) => ({ ...one, at: new Date(one.at * 60_000) })) }
    },

    /**
     * Cancels a message. Pushes already handed to a gateway cannot be recalled; the rest are never sent. Idempotent.
     * @throws AppError CONFLICT if the message is completed
     */
    async cancel(reader: SentMessageReader, messageId: string, address: string): Promise<SentByUser> {
      await find(reader, messageId)
      await cancel(messageId, { token: undefined, userId: reader.id, address })
      return find(reader, messageId)
    },
  }
}

const messageNotFound = () =>
  new AppError('NOT_FOUND', 'Message not found among those your push tokens sent.')
