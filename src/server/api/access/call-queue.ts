import { AppError } from '../../kernel/errors.ts'
import {
  createFairPlaces,
  type FairPlaces,
  type FairSemaphore,
  inPlaces,
} from '../../kernel/fair-semaphore.ts'
import type { CallLimit } from './call-limit.ts'

/** Maximum number of a caller's calls that run at once: one batch. */
export const MAX_RUNNING_CALLS = 20
/** Maximum number of a caller's waiting calls. The upload engine has at most a few dozen. */
export const MAX_WAITING_CALLS = 300
/** Maximum number of an address's requests that wait until their caller is known. Many users can share an address. */
const MAX_WAITING_PER_ADDRESS = 1_000
/** Time after its last call during which another caller counts as present. */
const PRESENT_MS = 1_000

/**
 * Runs at most `MAX_RUNNING_CALLS` calls of each caller at once in this process, across all its sessions and
 * connections. Further calls wait in the caller's own queue.
 *
 * While several callers are present, each starts one call per turn of the event loop. Otherwise one turn would
 * serialize 20 large responses, and everyone would wait for it. The calls of a lone caller start together, so that
 * they share statements.
 */
export function createCallQueue(maxWaiting = MAX_WAITING_CALLS): FairSemaphore {
  return inPlaces(createCallPlaces(maxWaiting, createPresence()))
}

/** Kinds of requests that an address has separate places for. */
export type RequestKind = 'page' | 'address' | 'health'

/**
 * Creates the places of an address that every request takes first, by kind, until its caller is known. They are separate
 * from the call queue: otherwise a lone user would look like two callers, whose calls start one per turn.
 */
export function createAddressPlaces(
  isAlone: Presence,
  maxWaiting = MAX_WAITING_PER_ADDRESS,
): Record<RequestKind, FairPlaces> {
  const places = (options: { isCall: boolean }) =>
    createCallPlaces(maxWaiting, (address) => isAlone(address, options))
  return {
    page: places({ isCall: true }),
    address: places({ isCall: true }),
    // Otherwise every site behind a load balancer that checks its health would have several callers.
    health: places({ isCall: false }),
  }
}

function createCallPlaces(maxWaiting: number, isAlone: (caller: string) => boolean): FairPlaces {
  const places = createFairPlaces({
    maxConcurrentPerKey: MAX_RUNNING_CALLS,
    maxQueuedPerKey: maxWaiting,
    tooBusy: () => tooBusy(maxWaiting),
  })
  const nextTurn = createPacer()
  const paced = (caller: string) => (isAlone(caller) ? undefined : nextTurn(caller))
  return {
    enter(caller, signal) {
      const waiting = places.enter(caller, signal)
      return waiting ? waiting.then(() => paced(caller)) : paced(caller)
    },
    leave: places.leave,
  }
}

/** Counts each call, then runs it when it is the caller's turn. */
export function createRunCall(countCall: CallLimit, inTurn: FairSemaphore): FairSemaphore {
  return async (caller, work, signal) => {
    countCall(caller)
    return inTurn(caller, work, signal)
  }
}

/** Returns true if no one but this caller has called within `PRESENT_MS`. `isCall` (default true): records this call. */
export type Presence = (caller: string, options?: { isCall: boolean }) => boolean

export function createPresence(): Presence {
  let last: string | undefined
  let lastAt = -Infinity
  let othersAt = -Infinity
  return (caller, { isCall } = { isCall: true }) => {
    const now = performance.now()
    const others = caller === last ? othersAt : lastAt
    if (isCall) {
      othersAt = others
      last = caller
      lastAt = now
    }
    return now - others > PRESENT_MS
  }
}

/** Lets one call per key pass in each turn of the event loop, the first one immediately (undefined). */
function createPacer(): (key: string) => Promise<void> | undefined {
  /** The keys that had a call in this turn, with their waiting calls. */
  const keys = new Map<string, (() => void)[]>()

  function onNextTurn(): void {
    for (const [key, waiting] of keys) {
      const pass = waiting.shift()
      if (pass) pass()
      else keys.delete(key)
    }
    if (keys.size > 0) setImmediate(onNextTurn)
  }

  return (key) => {
    const waiting = keys.get(key)
    if (waiting) return new Promise((pass) => waiting.push(pass))
    if (keys.size === 0) setImmediate(onNextTurn)
    keys.set(key, [])
    return undefined
  }
}

const tooBusy = (maxWaiting: number) =>
  new AppError(
    'TOO_MANY_REQUESTS',
    `You can have at most ${MAX_RUNNING_CALLS} calls running and ${maxWaiting} waiting. Retry after some of them finish.`,
    { retryAfterSeconds: 1 },
  )
