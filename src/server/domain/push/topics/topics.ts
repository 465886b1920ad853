import { z } from 'zod'
import type { AdminActor } from '../../../kernel/audit.ts'
import { AppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import { countUpTo, type RateCounter } from '../../../kernel/rate-counter.ts'
import { isoTime } from '../../../kernel/validation.ts'
import type { SignedInUser } from '../devices/device-repo.ts'

const subscription = z.object({ topic: z.string(), subscribedAt: isoTime }).meta({ id: 'TopicSubscription' })

/** Output of topics.list. */
export const topicsOutput = z.object({ items: z.array(subscription) })

export type TopicRepo = {
  /**
   * Idempotent. Returns `noUser` if the user does not exist or the session of `epoch` (if given) has ended. A change
   * `by` an administrator goes into the audit log.
   */
  subscribe(
    user: { id: string; epoch?: number },
    topic: string,
    maxPerUser: number,
    by?: AdminActor,
  ): Promise<'subscribed' | 'noUser' | 'tooMany'>
  /** Idempotent. Returns false if the user does not exist. `by`: as in `subscribe`. */
  unsubscribe(userId: string, topic: string, by?: AdminActor): Promise<boolean>
  isSubscribed(userId: string, topic: string): Promise<boolean>
  /** Sorted by name. */
  list(userId: string): Promise<z.input<typeof subscription>[]>
}

/** Topics are for many users, so one user with more is a mistake. */
export const MAX_TOPICS_PER_USER = 1000

/** Enough for an app that subscribes to every topic again after each sign-in. Ending a subscription is never limited. */
const MAX_NEW_SUBSCRIPTIONS_PER_DAY = 5000

export type TopicsDeps = {
  topics: TopicRepo
  /** Counts by user and day. */
  newSubscriptions: Pick<RateCounter, 'increment'>
}

/** Creates the use cases of topics. A topic exists while at least one user subscribes to it. */
export function createTopics({ topics: repo, newSubscriptions }: TopicsDeps) {
  return {
    /**
     * Subscribes the signed-in user. Idempotent.
     * @throws AppError UNAUTHORIZED, BAD_REQUEST, TOO_MANY_REQUESTS
     */
    async subscribe({ id, epoch }: SignedInUser, topic: string): Promise<void> {
      if (!(await repo.isSubscribed(id, topic)))
        await countUpTo(
          MAX_NEW_SUBSCRIPTIONS_PER_DAY,
          newSubscriptions,
          id,
          `You can subscribe to topics at most ${MAX_NEW_SUBSCRIPTIONS_PER_DAY} times per day. Try again later.`,
        )
      const result = await repo.subscribe({ id, epoch }, topic, MAX_TOPICS_PER_USER)
      if (result === 'noUser') throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (result === 'tooMany') throw tooManyTopics()
    },

    /** Idempotent. */
    unsubscribe: (userId: string, topic: string) => repo.unsubscribe(userId, topic),

    list: async (userId: string) => ({ items: await repo.list(userId) }),

    /**
     * Subscribes another user. Idempotent.
     * @throws AppError NOT_FOUND, BAD_REQUEST
     */
    async add(id: string, topic: string, by: AdminActor): Promise<void> {
      const result = isId(id) ? await repo.subscribe({ id }, topic, MAX_TOPICS_PER_USER, by) : 'noUser'
      if (result === 'noUser') throw userNotFound()
      if (result === 'tooMany') throw tooManyTopics()
    },

    /**
     * Unsubscribes another user. Idempotent.
     * @throws AppError NOT_FOUND
     */
    async remove(userId: string, topic: string, by: AdminActor): Promise<void> {
      if (!isId(userId) || !(await repo.unsubscribe(userId, topic, by))) throw userNotFound()
    },
  }
}

const userNotFound = () => new AppError('NOT_FOUND', 'User not found. Check userId.')

const tooManyTopics = () =>
  new AppError(
    'BAD_REQUEST',
    `A user can subscribe to at most ${MAX_TOPICS_PER_USER} topics. Unsubscribe from one first.`,
    { fieldErrors: { topic: [`exceeds the limit of ${MAX_TOPICS_PER_USER} topics`] } },
  )
