import type { z } from 'zod'
import { AppError } from '../errors.ts'
import type { listFilesInput } from './schema.ts'

/** More than a batch of calls has. */
const MAX_WAITING = 40

/** Whether a list needs all rows of the user, and not just the newest. */
export function isSearch({ query, mimeTypes, sort }: z.output<typeof listFilesInput>): boolean {
  return sort !== 'newest' || mimeTypes !== undefined || (query !== undefined && query.trim() !== '')
}

/**
 * Lets a user's searches run one after another in this process. Each reads all rows of the user, who may have a million:
 * side by side they would take every core and connection of the database from the others.
 */
export function createSearchTurns() {
  const queues = new Map<string, { last: Promise<unknown>; waiting: number }>()

  /** @throws AppError TOO_MANY_REQUESTS: too many of the user's wait already */
  return async function inTurn<T>(userId: string, search: () => Promise<T>): Promise<T> {
    const queue = queues.get(userId) ?? { last: Promise.resolve(), waiting: 0 }
    if (queue.waiting >= MAX_WAITING)
      throw new AppError(
        'TOO_MANY_REQUESTS',
        `${MAX_WAITING} lists of yours with query, mimeTypes or sort are being made already. Wait for their answers.`,
        { retryAfterSeconds: 1 },
      )
    queues.set(userId, queue)
    queue.waiting++
    const turn = queue.last.then(search)
    queue.last = turn.catch(() => {})
    try {
      return await turn
    } finally {
      if (--queue.waiting === 0) queues.delete(userId)
    }
  }
}
