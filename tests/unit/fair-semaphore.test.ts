import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFairSemaphore } from '../../src/server/kernel/fair-semaphore.ts'

/** Returns work that a test can end. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('limits how many run at once, first come, first served, and rejects a full queue', async () => {
  const semaphore = createFairSemaphore({ maxConcurrent: 2, maxQueued: 1 })
  const started: string[] = []
  const jobs = ['a', 'b', 'c'].map((name) => {
    const job = held()
    const done = semaphore('key', () => {
      started.push(name)
      return job.work()
    })
    return { ...job, done }
  })
  await expect(semaphore('key', async () => started.push('d'))).rejects.toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    retryAfterSeconds: 1,
  })
  expect(started).toEqual(['a', 'b'])
  jobs[1]!.end()
  await jobs[1]!.done
  jobs[2]!.end()
  await jobs[2]!.done
  expect(started).toEqual(['a', 'b', 'c'])
  jobs[0]!.end()
  await jobs[0]!.done
})

test('each key has its own slots and its own queue', async () => {
  const semaphore = createFairSemaphore({ maxConcurrentPerKey: 1, maxQueuedPerKey: 1 })
  const first = held()
  const one = semaphore('a', first.work)
  expect(await semaphore('b', async () => 'b')).toBe('b')
  const second = semaphore('a', async () => 'second')
  await expect(semaphore('a', async () => 'third')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  first.end()
  await one
  expect(await second).toBe('second')
})

test('without a queue, rejects a key’s excess work, and accepts more when some has ended', async () => {
  const semaphore = createFairSemaphore({ maxConcurrentPerKey: 2, maxQueuedPerKey: 0 })
  const jobs = [held(), held()]
  const running = jobs.map((job) => semaphore('a', job.work))
  await expect(semaphore('a', async () => 'third')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  expect(await semaphore('b', async () => 'b')).toBe('b')
  jobs[0]!.end()
  await running[0]
  expect(await semaphore('a', async () => 'now')).toBe('now')
  jobs[1]!.end()
  await running[1]
})

test('keys take turns, and a key never exceeds its slots', async () => {
  const inTurn = createFairSemaphore({ maxConcurrent: 2, maxConcurrentPerKey: 1 })
  const started: string[] = []
  const jobs: ReturnType<typeof held>[] = []
  const ask = (key: string) => {
    const job = held()
    jobs.push(job)
    return inTurn(key, () => {
      started.push(key)
      return job.work()
    })
  }
  const asked = ['a', 'a', 'a', 'a', 'b', 'b', 'c'].map(ask)
  await Promise.resolve()
  // `a` does not get the other slot, although its queue is the longest.
  expect(started).toEqual(['a', 'b'])
  for (const job of jobs) job.end()
  await Promise.all(asked)
  expect(started.slice(0, 5).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c'])
})

test('a new key starts after at most one task of every other key, regardless of their queues', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 60 }),
      async (places, ofKey, keys) => {
        const inTurn = createFairSemaphore({
          maxConcurrent: places,
          maxConcurrentPerKey: ofKey,
          maxQueued: 100,
        })
        const order: string[] = []
        const running: string[] = []
        const work = (key: string) =>
          inTurn(key, async () => {
            order.push(key)
            running.push(key)
            expect(running.length).toBeLessThanOrEqual(places)
            expect(running.filter((one) => one === key).length).toBeLessThanOrEqual(ofKey)
            await Promise.resolve()
            running.splice(running.indexOf(key), 1)
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

test('when the queue is full, a newcomer displaces the last entry of the longest queue, unless its own is the longest', async () => {
  const inTurn = createFairSemaphore({ maxConcurrent: 1, maxQueued: 5 })
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

test('work that throws releases its slot', async () => {
  const inTurn = createFairSemaphore({ maxConcurrent: 1 })
  const failing = inTurn('a', async () => {
    throw new Error('no')
  })
  const next = inTurn('a', async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
})

test('work aborted while waiting leaves the queue and makes room, and the others keep their order', async () => {
  const inTurn = createFairSemaphore({ maxConcurrentPerKey: 1, maxQueuedPerKey: 2 })
  const job = held()
  const blocking = inTurn('a', job.work)
  const started: string[] = []
  const ask = (name: string, signal?: AbortSignal) => inTurn('a', async () => started.push(name), signal)
  const gone = new AbortController()
  const left = ask('left', gone.signal).catch((error) => error.code)
  const stays = ask('stays', new AbortController().signal)
  await expect(ask('too many')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  gone.abort()
  expect(await left).toBe('BAD_REQUEST')
  const last = ask('last')
  expect(await ask('aborted before the call', AbortSignal.abort()).catch((error) => error.code)).toBe(
    'TOO_MANY_REQUESTS',
  )
  job.end()
  await Promise.all([blocking, stays, last])
  expect(started).toEqual(['stays', 'last'])
})
