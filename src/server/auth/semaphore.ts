import { AppError } from '../errors.ts'

/** Runs work when a place is free. @throws AppError TOO_MANY_REQUESTS when the queue is full */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** The same with a queue for each key; keys take turns. */
export type FairSemaphore = <T>(key: string, work: () => Promise<T>) => Promise<T>

/**
 * Runs at most `maxConcurrent` pieces of work at a time. At most `maxQueued` more wait, first come, first served;
 * beyond that the wait would be longer than users accept.
 */
export function createSemaphore(maxConcurrent: number, maxQueued: number): Semaphore {
  let running = 0
  const queue: (() => void)[] = []
  return async (work) => {
    if (running >= maxConcurrent) {
      if (queue.length >= maxQueued) throw tooBusy()
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

/**
 * Runs at most `maxConcurrent` pieces of work at a time, and one of each key, so that a key with much work leaves
 * the other places free. Keys that wait take turns. At most `maxQueued` wait; when another comes, the last of the
 * longest queue goes, or the newcomer if its own is the longest.
 */
export function createFairSemaphore(maxConcurrent: number, maxQueued: number): FairSemaphore {
  type Waiting = { begin: () => void; reject: (error: AppError) => void }
  /** Keys in the order of their turns; a key without waiting work has no queue. */
  const queues = new Map<string, Waiting[]>()
  const running = new Set<string>()
  let queued = 0

  /** Lets waiting work begin while there are places. */
  function fill(): void {
    for (const [key, queue] of queues) {
      if (running.size >= maxConcurrent) return
      if (running.has(key)) continue
      const next = queue.shift()!
      queued--
      queues.delete(key)
      // The next turn of this key is after those of all others.
      if (queue.length > 0) queues.set(key, queue)
      running.add(key)
      next.begin()
    }
  }

  function makeRoom(key: string): void {
    if (queued < maxQueued) return
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), [])
    if (longest.length <= (queues.get(key)?.length ?? 0) + 1) throw tooBusy()
    longest.pop()!.reject(tooBusy())
    queued--
  }

  return async (key, work) => {
    makeRoom(key)
    await new Promise<void>((begin, reject) => {
      const queue = queues.get(key) ?? []
      queue.push({ begin, reject })
      queues.set(key, queue)
      queued++
      fill()
    })
    try {
      return await work()
    } finally {
      running.delete(key)
      fill()
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

/** At most `max` pieces of work of a key at a time; more are refused at once. */
export function createKeyedBound(max: number): FairSemaphore {
  const counts = new Map<string, number>()
  return async (key, work) => {
    const count = counts.get(key) ?? 0
    if (count >= max) throw tooBusy()
    counts.set(key, count + 1)
    try {
      return await work()
    } finally {
      const left = counts.get(key)! - 1
      if (left === 0) counts.delete(key)
      else counts.set(key, left)
    }
  }
}

function tooBusy(): AppError {
  return new AppError(
    'TOO_MANY_REQUESTS',
    'Too many passwords are being checked right now. Try again in a few seconds.',
    { retryAfterSeconds: 10 },
  )
}
