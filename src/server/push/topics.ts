import { AppError } from '../errors.ts'
import { isId } from '../ids.ts'
import type { SignedInUser, Subscription, TopicAdministrator, TopicRepo } from './ports.ts'

/** More is a mistake: a topic is meant for many users. */
export const MAX_TOPICS_PER_USER = 1000

export type Topics = ReturnType<typeof createTopics>

/** Who gets what is sent to a topic. A topic exists while somebody subscribes to it. */
export function createTopics(repo: TopicRepo) {
  return {
    /**
     * A user subscribes. Idempotent.
     * @throws AppError UNAUTHORIZED, BAD_REQUEST
     */
    async subscribe(user: SignedInUser, topic: string): Promise<{ success: true }> {
      const result = await repo.subscribe({ id: user.id, epoch: user.epoch }, topic, MAX_TOPICS_PER_USER)
      if (result === 'noUser') throw new AppError('UNAUTHORIZED', 'Your session has ended. Sign in again.')
      if (result === 'tooMany') throw tooMany()
      return { success: true }
    },

    /** Idempotent. */
    async unsubscribe(userId: string, topic: string): Promise<{ success: true }> {
      await repo.unsubscribe(userId, topic)
      return { success: true }
    },

    /** By name. */
    async list(userId: string): Promise<{ items: Subscription[] }> {
      return { items: await repo.list(userId) }
    },

    /**
     * A script subscribes a user; what that changes is in the audit log. Idempotent.
     * @throws AppError NOT_FOUND, BAD_REQUEST
     */
    async add(userId: string, topic: string, by: TopicAdministrator): Promise<void> {
      const result = isId(userId)
        ? await repo.subscribe({ id: userId }, topic, MAX_TOPICS_PER_USER, by)
        : 'noUser'
      if (result === 'noUser') throw noSuchUser()
      if (result === 'tooMany') throw tooMany()
    },

    /**
     * Idempotent.
     * @throws AppError NOT_FOUND
     */
    async remove(userId: string, topic: string, by: TopicAdministrator): Promise<void> {
      if (!isId(userId) || !(await repo.unsubscribe(userId, topic, by))) throw noSuchUser()
    },
  }
}

function noSuchUser(): AppError {
  return new AppError('NOT_FOUND', 'There is no user with this userId.')
}

function tooMany(): AppError {
  return new AppError(
    'BAD_REQUEST',
    `A user may subscribe to ${MAX_TOPICS_PER_USER} topics at most. Unsubscribe from one first.`,
    { fieldErrors: { topic: [`is one more than ${MAX_TOPICS_PER_USER}`] } },
  )
}
