import { expect, test } from 'vitest'
import { createTurns, createTurnsByKey } from '../../src/server/auth/turns.ts'

/** Work that ends when told to. */
function held() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('no more than allowed run at once, in order, and too long a queue is refused', async () => {
  const inTurn = createTurns(2, 1)
  const begun: string[] = []
  const jobs = ['a', 'b', 'c'].map((name) => {
    const job = held()
    const done = inTurn(() => {
      begun.push(name)
      return job.work()
    })
    return { ...job, done }
  })
  await expect(inTurn(async () => begun.push('d'))).rejects.toMatchObject({
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

test('work that throws gives its place back', async () => {
  const inTurn = createTurns(1, 0)
  const failing = async () => {
    throw new Error('no')
  }
  await expect(inTurn(failing)).rejects.toThrow('no')
  expect(await inTurn(async () => 'next')).toBe('next')
})

test('each key has its own turn', async () => {
  const turnOf = createTurnsByKey(1)
  const first = held()
  const one = turnOf('a')(first.work)
  expect(await turnOf('b')(async () => 'b')).toBe('b')
  const second = turnOf('a')(async () => 'second')
  await expect(turnOf('a')(async () => 'third')).rejects.toMatchObject({ code: 'TOO_MANY_REQUESTS' })
  first.end()
  await one
  expect(await second).toBe('second')
})
