import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createAddressPlaces,
  createCallQueue,
  createPresence,
  MAX_RUNNING_CALLS,
  MAX_WAITING_CALLS,
} from '../../src/server/api/access/call-queue.ts'

/** Starts a queue whose calls run until the test ends. `started` lists their callers. */
function startQueue() {
  const inTurn = createCallQueue()
  const started: string[] = []
  const ends: (() => void)[] = []
  const call = (caller: string) =>
    inTurn(caller, () => {
      started.push(caller)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.push(resolve)
      return promise
    })
  const endAll = () => {
    for (const end of ends.splice(0)) end()
  }
  return { started, call, endAll, of: (caller: string) => started.filter((one) => one === caller).length }
}

test('a lone caller’s calls start together, a batch at a time', async () => {
  const { started, call } = startQueue()
  for (let n = 0; n < MAX_RUNNING_CALLS + 5; n++) void call('a')
  await Promise.resolve()
  expect(started).toHaveLength(MAX_RUNNING_CALLS)
})

test('while others call, each caller starts one call per turn of the event loop', async () => {
  const { call, of } = startQueue()
  void call('other')
  for (let n = 0; n < MAX_RUNNING_CALLS; n++) void call('a')
  for (let n = 1; n <= MAX_RUNNING_CALLS; n++) {
    expect(of('a')).toBe(n)
    await turn()
  }
})

test('a caller without running calls starts at once, regardless of others’ queues', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 9, arbitrary: fc.constantFrom('a', 'b', 'c') },
          fc.constantFrom('turn' as const, 'end' as const),
        ),
        { maxLength: 200 },
      ),
      async (steps) => {
        const { call, of, started, endAll } = startQueue()
        const calls: Promise<void>[] = []
        for (const step of steps) {
          if (step === 'turn') await turn()
          else if (step === 'end') endAll()
          else calls.push(call(step))
        }
        calls.push(call('quiet'))
        expect(of('quiet')).toBe(1)
        // Every caller gets a turn.
        while (started.length < calls.length) {
          endAll()
          await turn()
        }
        endAll()
        await Promise.all(calls)
      },
    ),
    { numRuns: 50 },
  )
})

test('a caller whose queue is full is rejected, and others are not', async () => {
  const { call, of } = startQueue()
  for (let n = 0; n < MAX_RUNNING_CALLS + MAX_WAITING_CALLS; n++) void call('a')
  await expect(call('a')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 })
  void call('b')
  expect(of('b')).toBe(1)
})

test('an address can have a thousand waiting requests', async () => {
  const places = createAddressPlaces(createPresence()).page
  const requests = Array.from({ length: MAX_RUNNING_CALLS + 1000 }, () => places.enter('a'))
  expect(requests.filter((waiting) => waiting === undefined)).toHaveLength(MAX_RUNNING_CALLS)
  expect(() => places.enter('a')).toThrow(expect.objectContaining({ code: 'TOO_MANY_REQUESTS' }))
  for (const request of requests) {
    await request
    places.leave('a')
  }
})
