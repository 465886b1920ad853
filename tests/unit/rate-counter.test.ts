import { expect, test } from 'vitest'
import { rememberFullWindows, type WindowCount } from '../../src/server/kernel/rate-counter.ts'

test('the store is not asked about a key over its limit until the window ends; other keys are counted', async () => {
  let now = 0
  const asked: string[] = []
  const counts = new Map<string, number>()
  const ask = (key: string, events: number): WindowCount => {
    asked.push(key)
    counts.set(key, (counts.get(key) ?? 0) + events)
    return { count: counts.get(key)!, secondsLeft: 60 }
  }
  const counter = rememberFullWindows(
    {
      read: async (key) => ask(key, 0),
      increment: async (key, events = 1) => ask(key, events),
      async decrement() {},
    },
    2,
    () => now,
  )
  for (let n = 1; n <= 3; n++) expect(await counter.increment('a')).toEqual({ count: n, secondsLeft: 60 })
  now = 45_000
  expect(await counter.increment('a')).toEqual({ count: 3, secondsLeft: 15 })
  expect(await counter.read('a')).toEqual({ count: 3, secondsLeft: 15 })
  expect(await counter.increment('b')).toEqual({ count: 1, secondsLeft: 60 })
  expect(asked).toEqual(['a', 'a', 'a', 'b'])
  now = 60_000
  expect(await counter.read('a')).toEqual({ count: 3, secondsLeft: 60 })
  expect(asked).toEqual(['a', 'a', 'a', 'b', 'a'])
})
