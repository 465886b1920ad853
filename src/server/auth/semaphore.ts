import { AppError } from '../errors.ts'

/** Runs work when a place is free. @throws AppError TOO_MANY_REQUESTS when the queue is full */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `maxConcurrent` pieces of work at a time. At most `maxQueued` more wait, first come, first served;
 * beyond that the wait would be longer than users accept.
 */
export function createSemaphore(maxConcurrent: number, maxQueued: number): Semaphore {
  let running = 0
  const queue: (() => void)[] = []
  return async (work) => {
    if (running >= maxConcurrent) {
      if (queue.length >= maxQueued)
        throw new AppError(
          'TOO_MANY_REQUESTS',
          'Too many users are signing in right now. Try again in a few seconds.',
          { retryAfterSeconds: 10 },
        )
      // Finished work hands its place to the next in the queue, so `running` does not change and nobody overtakes.
      await new Promise<void>((resolve) => queue.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = queue.shift()
      if (next) next()
      else running--
    }
  }
}

/** A semaphore for each key that runs one piece of work at a time; a key without work takes no memory. */
export function createKeyedSemaphore(maxQueued: number): (key: string) => Semaphore {
  const entries = new Map<string, { semaphore: Semaphore; users: number }>()
  return (key) => async (work) => {
    const entry = entries.get(key) ?? { semaphore: createSemaphore(1, maxQueued), users: 0 }
    entries.set(key, entry)
    entry.users++
    try {
      return await entry.semaphore(work)
    } finally {
      if (--entry.users === 0) entries.delete(key)
    }
  }
}
