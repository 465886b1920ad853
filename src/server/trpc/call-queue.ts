import { AppError } from '../errors.ts'
import { createFairSemaphore, type FairSemaphore } from '../fair-semaphore.ts'
import type { CallLimit } from './call-limit.ts'

/** A caller's calls at work at a time: one batch. */
export const MAX_AT_WORK = 20
/** A caller's calls that wait. The upload engine has a few dozen at most. */
export const MAX_WAITING = 300
/** For so long after its last call another caller counts as present. */
const PRESENT_MS = 1_000

/**
 * Lets at most `MAX_AT_WORK` calls of one caller be at work in this process, whatever sessions and connections they come
 * by; more wait in a queue of his own. While others call too, one call of a caller begins in each turn of the event loop:
 * else the answers of 20 large calls would be made in one turn, and everybody would wait for them. A lone caller's
 * begin together, so that they share their statements.
 */
export function createCallQueue(): FairSemaphore {
  const inTurn = createFairSemaphore({
    maxConcurrentPerKey: MAX_AT_WORK,
    maxQueuedPerKey: MAX_WAITING,
    tooBusy,
  })
  const isAlone = createPresence()
  const nextTurn = createPacer()
  return (caller, work, signal) =>
    inTurn(
      caller,
      () => {
        const turn = isAlone(caller) ? undefined : nextTurn(caller)
        return turn ? turn.then(work) : work()
      },
      signal,
    )
}

/** Counts a call of this caller, then runs it when it is his turn. */
export function createRunCall(countCall: CallLimit, inTurn: FairSemaphore): FairSemaphore {
  return async (caller, work, signal) => {
    countCall(caller)
    return inTurn(caller, work, signal)
  }
}

/** Whether nobody but this caller has called within `PRESENT_MS`. */
function createPresence(): (caller: string) => boolean {
  let last: string | undefined
  let lastAt = -Infinity
  let othersAt = -Infinity
  return (caller) => {
    if (caller !== last) othersAt = lastAt
    last = caller
    lastAt = performance.now()
    return lastAt - othersAt > PRESENT_MS
  }
}

/** Lets one piece of work of each key pass in a turn of the event loop, the first one at once. */
function createPacer(): (key: string) => Promise<void> | undefined {
  /** Keys of which a piece of work has passed in this turn, with those that wait. */
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

const tooBusy = () =>
  new AppError(
    'TOO_MANY_REQUESTS',
    `${MAX_AT_WORK} calls of yours are at work and ${MAX_WAITING} wait, which is as many as may. Wait for their answers.`,
    { retryAfterSeconds: 1 },
  )
