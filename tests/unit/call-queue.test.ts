import { setImmediate as turn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCallQueue, MAX_AT_WORK, MAX_WAITING } from '../../src/server/trpc/call-queue.ts'

/** Calls that are at work until the test ends; `begun` names their callers. */
function startQueue() {
  const inTurn = createCallQueue()
  const begun: string[] = []
  const ends: (() => void)[] = []
  const call = (caller: string) =>
    inTurn(caller, () => {
      begun.push(caller)
      const { promise, resolve } = Promise.withResolvers<void>()
      ends.push(resolve)
      return promise
    })
  const endAll = () => {
    for (const end of ends.splice(0)) end()
  }
  return { begun, call, endAll, of: (caller: string) => begun.filter((one) => one === caller).length }
}

test("a lone caller's calls begin together, a batch at a time", async () => {
  const { begun, call } = startQueue()
  for (let n = 0; n < MAX_AT_WORK + 5; n++) void call('a')
  await Promise.resolve()
  expect(begun).toHaveLength(MAX_AT_WORK)
})

test('while others call, one call of a caller begins in each turn of the event loop', async () => {
  const { call, of } = startQueue()
  void call('other')
  for (let n = 0; n < MAX_AT_WORK; n++) void call('a')
  for (let n = 1; n <= MAX_AT_WORK; n++) {
    expect(of('a')).toBe(n)
    await turn()
  }
})

test('a caller with nothing at work begins at once, whatever others have queued', async () => {
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
        const { call, of, begun, endAll } = startQueue()
        const calls: Promise<void>[] = []
        for (const step of steps) {
          if (step === 'turn') await turn()
          else if (step === 'end') endAll()
          else calls.push(call(step))
        }
        calls.push(call('quiet'))
        expect(of('quiet')).toBe(1)
        // Nobody is forgotten.
        while (begun.length < calls.length) {
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

test('a caller whose queue is full is refused, and others are not', async () => {
  const { call, of } = startQueue()
  for (let n = 0; n < MAX_AT_WORK + MAX_WAITING; n++) void call('a')
  await expect(call('a')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS', retryAfterSeconds: 1 })
  void call('b')
  expect(of('b')).toBe(1)
})
