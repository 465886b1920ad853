import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { isId, newId, newIdOf } from '../../src/server/kernel/ids.ts'

const DAY = 86_400_000
const timeOf = (id: string) => Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
const at = (now: number) => vi.useFakeTimers({ toFake: ['Date'], now })

afterEach(() => vi.useRealTimers())

describe('ids', () => {
  test('sort by age, even within a millisecond and when the clock steps back slightly', () => {
    let now = Date.now() + DAY
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -20, max: 20 }), { maxLength: 200 }), (steps) => {
        const ids = steps.flatMap((step) => {
          now += step
          at(now)
          return [newId(), newId()]
        })
        expect(ids).toEqual(ids.toSorted())
        expect(new Set(ids).size).toBe(ids.length)
        expect(ids.every(isId)).toBe(true)
        now += 5_000
      }),
      { numRuns: 50 },
    )
  })

  test('follow a clock that is set back', () => {
    at(Date.now() + 2 * DAY)
    newId()
    vi.useRealTimers()
    const before = Date.now()
    const time = timeOf(newId())
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(Date.now())
  })

  test('for a given time sort as if created then', () => {
    const time = new Date(Date.now() - DAY)
    expect(timeOf(newIdOf(time))).toBe(time.getTime())
    expect(newIdOf(time) < newId()).toBe(true)
  })
})
