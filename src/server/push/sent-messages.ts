import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { CancelledBy, FailureCount, SentByUser, SentMessageRepo } from './ports.ts'
import type { ListMessagesInput } from './schema.ts'
import type { TimelineCounts } from './timeline.ts'

/** Gateways know some twenty reasons each. */
const MAX_REASONS = 100

export type SentMessagesDeps = {
  sentMessages: SentMessageRepo
  cancel(id: string, by: CancelledBy): Promise<void>
}

/** What the push tokens of a signed-in user have sent, without the tokens. Messages of others are NOT_FOUND. */
export function createSentMessages({ sentMessages, cancel }: SentMessagesDeps) {
  /** @throws AppError NOT_FOUND */
  async function find(userId: string, messageId: string): Promise<SentByUser> {
    const found = isId(messageId) ? await sentMessages.find(userId, messageId) : null
    if (!found) throw noSuchMessage()
    return found
  }

  return {
    /**
     * Newest first.
     * @throws AppError BAD_REQUEST: the cursor is not one of ours
     */
    async list(userId: string, { cursor, limit }: ListMessagesInput): Promise<SentPage> {
      if (cursor !== undefined && !isId(cursor))
        throw new AppError('BAD_REQUEST', 'The cursor is not one that messages.sent gave out (nextCursor).', {
          fieldErrors: { cursor: ['must be the nextCursor of an earlier page'] },
        })
      const found = await sentMessages.list(userId, cursor, limit + 1)
      const items = found.slice(0, limit)
      return { items, nextCursor: found.length > limit ? items.at(-1)!.id : null }
    },

    /**
     * Why devices failed, and how many for each reason: of the first 10,000, for 7 days.
     * @throws AppError NOT_FOUND
     */
    async failures(userId: string, messageId: string): Promise<{ items: FailureCount[] }> {
      await find(userId, messageId)
      return { items: await sentMessages.countFailures(messageId, MAX_REASONS) }
    },

    /**
     * What was recorded when: as it was then, whatever the circuit breaker took back later. Nothing of what was sent
     * to one user at once.
     * @throws AppError NOT_FOUND
     */
    async timeline(userId: string, messageId: string): Promise<MessageTimeline> {
      const found = isId(messageId) ? await sentMessages.timeline(userId, messageId) : null
      if (!found) throw noSuchMessage()
      const { minutes = 1, stretches = [] } = found.timeline ?? {}
      return { minutes, items: stretches.map((one) => ({ ...one, at: new Date(one.at * 60_000) })) }
    },

    /**
     * Cancels what has not been handed to a gateway. Idempotent.
     * @throws AppError NOT_FOUND, CONFLICT
     */
    async cancel(userId: string, messageId: string, address: string): Promise<SentByUser> {
      await find(userId, messageId)
      await cancel(messageId, { token: undefined, userId, address })
      return find(userId, messageId)
    },
  }
}

const noSuchMessage = () =>
  new AppError('NOT_FOUND', 'There is no message with this id that a push token of yours has sent.')

export type MessageTimeline = { minutes: number; items: ({ at: Date } & TimelineCounts)[] }

export type SentPage = { items: SentByUser[]; nextCursor: string | null }
