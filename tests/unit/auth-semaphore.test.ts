import { expect, test } from 'vitest'
import { createKeyedSemaphore, createSemaphore } from '../../src/server/auth/semaphore.ts'

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
