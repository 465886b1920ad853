import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  createFairSemaphore,
  createKeyedBound,
  createKeyedSemaphore,
  createSemaphore,
} from '../../src/server/auth/semaphore.ts'

/** Work that ends when told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('limits how many run at once, first come, first served, and rejects a full queue', async () => {
  const semaphore = createSemaphore(2, 1)
  const begun: string[] = []
  const jobs = ['a', 'b', 'c'].map((name) => {
    const job = held()
    const done = semaphore(() => {
      begun.push(name)
      return job.work()
    })
    return { ...job, done }
  })
  await expect(semaphore(async () => begun.push('d'))).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    retryAfterSeconds: 10,
  })
  expect(begun).toEqual(['a', 'b'])
  jobs[1]!.end()
  await jobs[1]!.done
  jobs[2]!.end()
  await jobs[2]!.done
  expect(begun).toEqual(['a', 'b', 'c'])
  jobs[0]!.end()
  await jobs[0]!.done
})

test('work that throws releases its place', async () => {
  const semaphore = createSemaphore(1, 0)
  const failing = async () => {
    throw new Error('no')
  }
  await expect(semaphore(failing)).rejects.toThrow('no')
  expect(await semaphore(async () => 'next')).toBe('next')
})

test('each key has its own queue', async () => {
  const semaphoreOf = createKeyedSemaphore(1)
  const first = held()
  const one = semaphoreOf('a')(first.work)
  expect(await semaphoreOf('b')(async () => 'b')).toBe('b')
  const second = semaphoreOf('a')(async () => 'second')
  await expect(semaphoreOf('a')(async () => 'third')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  first.end()
  await one
  expect(await second).toBe('second')
})

test('keys take turns, and one key never has more than one place', async () => {
  const inTurn = createFairSemaphore(2, 100)
  const begun: string[] = []
  const jobs: ReturnType<typeof held>[] = []
  const ask = (key: string) => {
    const job = held()
    jobs.push(job)
    return inTurn(key, () => {
      begun.push(key)
      return job.work()
    })
  }
  const asked = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(ask)
  await Promise.resolve()
  // The other place is not left to the queue of `a`, although that is longest.
  expect(begun).toEqual(['a', 'b'])
  for (const job of jobs) job.end()
  await Promise.all(asked)
  expect(begun.slice(0, 5).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c'])
})

test('a key that waits for the first time begins after at most one of every other key, whatever they have queued', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }),
      async (places, keys) => {
        const inTurn = createFairSemaphore(places, 100)
        const order: string[] = []
        let running = 0
        const work = (key: string) =>
          inTurn(key, async () => {
            order.push(key)
            expect(++running).toBeLessThanOrEqual(places)
            await Promise.resolve()
            running--
          })
        const hostile = keys.map(work)
        const before = order.length
        const quiet = work('quiet')
        await Promise.all([...hostile, quiet])
        expect(order).toHaveLength(keys.length + 1)
        expect(order.slice(before).indexOf('quiet')).toBeLessThanOrEqual(4 + places)
      },
    ),
  )
})

test('a full queue drops the last of the longest queue for a newcomer, never the newcomer with a short one', async () => {
  const inTurn = createFairSemaphore(1, 5)
  const job = held()
  const blocking = inTurn('z', job.work)
  const hostile = Array.from({ length: 5 }, (_, i) => inTurn('a', async () => i))
  const late = hostile.map((one) => one.then(String, (error) => error.code))
  await expect(inTurn('a', async () => 5)).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  const quiet = inTurn('b', async () => 'b')
  job.end()
  await blocking
  expect(await quiet).toBe('b')
  expect(await Promise.all(late)).toEqual(['0', '1', '2', '3', 'TOO_MANY_REQUESTS'])
})

test('work that throws gives its turn to the next', async () => {
  const inTurn = createFairSemaphore(1, 5)
  const failing = inTurn('a', async () => {
    throw new Error('no')
  })
  const next = inTurn('a', async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})

test('a bound refuses what a key has too much of at once, and lets in more when some has ended', async () => {
  const bound = createKeyedBound(2)
  const jobs = [held(), held()]
  const running = jobs.map((job) => bound('a', job.work))
  await expect(bound('a', async () => 'third')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  expect(await bound('b', async () => 'b')).toBe('b')
  jobs[0]!.end()
  await running[0]
  expect(await bound('a', async () => 'now')).toBe('now')
  jobs[1]!.end()
  await running[1]
})
