import { AppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { type PageInput, readPage } from '../../../kernel/page.ts'
import type { Platform } from '../delivery/target.ts'
import type { Timeline } from '../inbox/timeline.ts'
import type { CancelledBy } from './message-repo.ts'
import type { SentItem } from './schema.ts'

/** Message in the list of the user whose push token sent it. */
export type SentByUser = SentItem & {
  body: string | null
  category: string
  /** `users`: a list of users. */
  target: 'all' | 'topic' | 'users' | 'user'
  /** Null unless `target` is `topic`. */
  topic: string | null
  /** Name of the push token. */
  tokenName: string
}

/** Messages that a user's push tokens sent. `find` and `timeline` return null for messages of other users. */
export type SentMessageRepo = {
  /** Newest first, older than `beforeId`. */
  list(userId: string, beforeId: string | undefined, limit: number): Promise<SentByUser[]>
  find(userId: string, messageId: string): Promise<SentByUser | null>
  timeline(userId: string, messageId: string): Promise<{ timeline: Timeline | null } | null>
  /** Counts failed devices by reason, most frequent first. */
  countFailures(
    messageId: string,
    limit: number,
  ): Promise<{ platform: Platform; reason: string; count: number }[]>
}

/** Gateways have about twenty reasons each. */
const MAX_REASONS = 100

type SentMessagesDeps = {
  sentMessages: SentMessageRepo
  cancel(id: string, by: CancelledBy): Promise<void>
}

/** Creates the use cases of messages that a user's push tokens sent. Other messages are NOT_FOUND. */
export function createSentMessages({ sentMessages, cancel }: SentMessagesDeps) {
  async function find(userId: string, messageId: string): Promise<SentByUser> {
    const found = isId(messageId) ? await sentMessages.find(userId, messageId) : null
    if (!found) throw messageNotFound()
    return found
  }

  return {
    /**
     * Returns a page, newest first.
     * @throws AppError BAD_REQUEST if this service did not issue the cursor
     */
    list: (userId: string, page: PageInput) =>
      readPage(page, ({ beforeId, limit }) => sentMessages.list(userId, beforeId, limit)),

    /** Counts failed devices by reason: the first 10,000, kept for 7 days. */
    async failures(userId: string, messageId: string) {
      await find(userId, messageId)
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
    async cancel(userId: string, messageId: string, address: string): Promise<SentByUser> {
      await find(userId, messageId)
      await cancel(messageId, { token: undefined, userId, address })
      return find(userId, messageId)
    },
  }
}

const messageNotFound = () =>
  new AppError('NOT_FOUND', 'Message not found among those your push tokens sent.')
