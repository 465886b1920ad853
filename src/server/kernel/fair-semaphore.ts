import { AppError } from './errors.ts'

/**
 * Runs work when its turn comes. Waiting work leaves the queue when its `signal` aborts.
 * @throws AppError TOO_MANY_REQUESTS if the queue is full, BAD_REQUEST if the signal aborted
 */
export type FairSemaphore = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

/** Places that keys share, with one first-come, first-served queue per key. Waiting keys take turns. */
export type FairPlaces = {
  /**
   * Takes a place: at once (undefined), or when the promise resolves. `signal` is called only if the key must wait, which
   * then ends when the signal aborts. @throws AppError like `FairSemaphore`
   */
  enter(key: string, signal?: () => AbortSignal | undefined): Promise<void> | undefined
  /** Gives a place back. */
  leave(key: string): void
}

type FairPlacesOptions = {
  maxConcurrent?: number
  /** Limit per key, so that a busy key leaves slots free for others. */
  maxConcurrentPerKey?: number
  /** When exceeded, drops the last task of the longest queue, which can be the new task. */
  maxQueued?: number
  /** When exceeded, rejects the key's new task. */
  maxQueuedPerKey?: number
  tooBusy?: () => AppError
}

type Waiting = { begin: () => void; reject: (error: AppError) => void }
type Flow = { running: number; waiting: Waiting[] }

/** Creates a semaphore with its own places. */
export function createFairSemaphore(options: FairPlacesOptions): FairSemaphore {
  return inPlaces(createFairPlaces(options))
}

/** Returns a semaphore that runs work in these places. */
export function inPlaces({ enter, leave }: FairPlaces): FairSemaphore {
  return async (key, work, signal) => {
    const waiting = enter(key, () => signal)
    if (waiting) await waiting
    try {
      return await work()
    } finally {
      leave(key)
    }
  }
}

/** Creates places. Idle keys use no memory. */
export function createFairPlaces(options: FairPlacesOptions): FairPlaces {
  const { maxConcurrent = Infinity, maxQueued = Infinity, tooBusy = queueFull } = options
  const { maxConcurrentPerKey = maxConcurrent, maxQueuedPerKey = maxQueued } = options
  const flows = new Map<string, Flow>()
  /** Keys that wait only for a free place, in the order of their turns. */
  const ready = new Set<string>()
  let running = 0
  let queued = 0

  function start(flow: Flow): void {
    running++
    flow.running++
  }

  /** Starts waiting work while places are free. */
  function fill(): void {
    for (const key of ready) {
      if (running >= maxConcurrent) return
      const flow = flows.get(key)!
      const next = flow.waiting.shift()!
      queued--
      start(flow)
      // Deleting and adding the key again moves its next turn behind all other keys.
      ready.delete(key)
      update(key, flow)
      next.begin()
    }
  }

  function update(key: string, flow: Flow): void {
    if (flow.waiting.length === 0) {
      ready.delete(key)
      if (flow.running === 0) flows.delete(key)
    } else if (flow.running < maxConcurrentPerKey) ready.add(key)
  }

  function makeRoom(own: number): void {
    if (own >= maxQueuedPerKey) throw tooBusy()
    if (queued < maxQueued) return
    const [key, flow] = [...flows].reduce((a, b) => (b[1].waiting.length > a[1].waiting.length ? b : a))
    if (flow.waiting.length <= own + 1) throw tooBusy()
    const last = flow.waiting.at(-1)!
    remove(key, flow, last)
    last.reject(tooBusy())
  }

  function remove(key: string, flow: Flow, one: Waiting): void {
    flow.waiting.splice(flow.waiting.indexOf(one), 1)
    queued--
    update(key, flow)
  }

  async function waitForPlace(key: string, flow: Flow, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { begin: resolve, reject }
    const leave = () => {
      if (!flow.waiting.includes(waiting)) return
      remove(key, flow, waiting)
      reject(new AppError('BAD_REQUEST', 'The request was canceled while it waited.'))
    }
    flow.waiting.push(waiting)
    queued++
    update(key, flow)
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      signal?.removeEventListener('abort', leave)
    }
  }

  return {
    enter(key, signal) {
      const known = flows.get(key)
      const flow = known ?? { running: 0, waiting: [] }
      const isFree = running < maxConcurrent && flow.running < maxConcurrentPerKey
      if (!isFree) makeRoom(flow.waiting.length)
      if (!known) flows.set(key, flow)
      if (!isFree) return waitForPlace(key, flow, signal?.())
      start(flow)
      return undefined
    },
    leave(key) {
      const flow = flows.get(key)!
      running--
      flow.running--
      update(key, flow)
      fill()
    },
  }
}

const queueFull = () =>
  new AppError('TOO_MANY_REQUESTS', 'Too many requests are waiting. Retry after they finish.', {
    retryAfterSeconds: 1,
  })
