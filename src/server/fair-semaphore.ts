import { AppError } from './errors.ts'

/**
 * Runs work when it is its turn. Work whose `signal` is aborted while it waits leaves the queue.
 * @throws AppError TOO_MANY_REQUESTS when too much waits; BAD_REQUEST when it left
 */
export type FairSemaphore = <T>(key: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>

export type FairSemaphoreOptions = {
  /** Pieces of work at a time. */
  maxConcurrent?: number
  /** Of one key at a time, so that a key with much work leaves the other places free. */
  maxConcurrentPerKey?: number
  /** Pieces that wait. When another comes, the last of the longest queue goes, or the newcomer if its own is the longest. */
  maxQueued?: number
  /** Pieces of one key that wait; the next one is refused. */
  maxQueuedPerKey?: number
  tooBusy?: () => AppError
}

type Waiting = { begin: () => void; reject: (error: AppError) => void }
type Flow = { running: number; waiting: Waiting[] }

/** A queue for each key, first come, first served; keys that wait take turns. A key without work takes no memory. */
export function createFairSemaphore(options: FairSemaphoreOptions): FairSemaphore {
  const { maxConcurrent = Infinity, maxQueued = Infinity, tooBusy = queueFull } = options
  const { maxConcurrentPerKey = maxConcurrent, maxQueuedPerKey = maxQueued } = options
  const flows = new Map<string, Flow>()
  /** Keys that wait for nothing but a place, in the order of their turns. */
  const ready = new Set<string>()
  let running = 0
  let queued = 0

  /** Lets waiting work begin while there are places. */
  function fill(): void {
    for (const key of ready) {
      if (running >= maxConcurrent) return
      const flow = flows.get(key)!
      const next = flow.waiting.shift()!
      queued--
      running++
      flow.running++
      // The next turn of this key is after those of all others.
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

  async function place(key: string, flow: Flow, signal: AbortSignal | undefined): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = { begin: resolve, reject }
    const leave = () => {
      if (!flow.waiting.includes(waiting)) return
      remove(key, flow, waiting)
      reject(new AppError('BAD_REQUEST', 'The request was cancelled while it waited for its turn.'))
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

  return async (key, work, signal) => {
    const flow = flows.get(key) ?? { running: 0, waiting: [] }
    const isFree = running < maxConcurrent && flow.running < maxConcurrentPerKey
    if (!isFree) makeRoom(flow.waiting.length)
    flows.set(key, flow)
    if (isFree) {
      running++
      flow.running++
    } else await place(key, flow, signal)
    try {
      return await work()
    } finally {
      running--
      flow.running--
      update(key, flow)
      fill()
    }
  }
}

const queueFull = () =>
  new AppError('TOO_MANY_REQUESTS', 'Too much waits already. Wait for the answers, then go on.', {
    retryAfterSeconds: 1,
  })
