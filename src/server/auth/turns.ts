import { AppError } from '../errors.ts'

/** Runs work, or refuses it with TOO_MANY_REQUESTS when the queue is longer than people would wait. */
export type Turns = <T>(work: () => Promise<T>) => Promise<T>

/** At most `atOnce` pieces of work at a time; at most `maxWaiting` more wait, in order. */
export function createTurns(atOnce: number, maxWaiting: number): Turns {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= maxWaiting)
        throw new AppError(
          'TOO_MANY_REQUESTS',
          'Too many people are signing in just now. Try again shortly.',
          {
            retryAfterSeconds: 10,
          },
        )
      // Whoever leaves hands its place over, so `running` does not change.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

/** One piece of work at a time for each key. */
export function createTurnsByKey(maxWaiting: number): (key: string) => Turns {
  const queues = new Map<string, { turns: Turns; users: number }>()
  return (key) => async (work) => {
    const queue = queues.get(key) ?? { turns: createTurns(1, maxWaiting), users: 0 }
    queues.set(key, queue)
    queue.users++
    try {
      return await queue.turns(work)
    } finally {
      if (--queue.users === 0) queues.delete(key)
    }
  }
}
