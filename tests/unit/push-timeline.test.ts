// The timeline of a message, which stays small however long the message takes.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addToTimeline, MAX_INTERVALS, type Timeline } from '../../src/server/domain/push/inbox/timeline.ts'

const counts = { sent: 2, failed: 1, removed: 1 }
const at = (time: string) => new Date(`2026-11-22T${time}Z`)
const minute = (time: string) => at(time).getTime() / 60_000

test('results of the same minute are added up, and the next minute is a new interval', () => {
  const times = ['12:00:01', '12:00:59', '12:01:00'].map(at)
  const timeline = times.reduce<Timeline | null>((before, time) => addToTimeline(before, time, counts), null)
  expect(timeline).toEqual({
    minutes: 1,
    stretches: [
      { at: minute('12:00'), sent: 4, failed: 2, removed: 2 },
      { at: minute('12:01'), ...counts },
    ],
  })
})

test('over an hour, intervals last five minutes, and nothing is lost', () => {
  const first = addToTimeline(addToTimeline(null, at('12:01'), counts), at('12:04'), counts)
  expect(addToTimeline(first, at('13:02'), counts)).toEqual({
    minutes: 5,
    stretches: [
      { at: minute('12:00'), sent: 4, failed: 2, removed: 2 },
      { at: minute('13:00'), ...counts },
    ],
  })
})

test('over 28 days, with clocks that step back, there are at most 60 intervals, in order, with all counts', () => {
  const seconds = fc.array(fc.integer({ min: 0, max: 28 * 86_400 }), { minLength: 1, maxLength: 100 })
  fc.assert(
    fc.property(seconds, (times) => {
      const timeline = times.reduce<Timeline | null>(
        (before, second) => addToTimeline(before, new Date(1.79e12 + second * 1000), counts),
        null,
      )!
      const { minutes, stretches } = timeline
      const starts = stretches.map((one) => one.at)
      expect((starts.at(-1)! - starts[0]!) / minutes).toBeLessThan(MAX_INTERVALS)
      expect(starts).toEqual([...new Set(starts)].sort((a, b) => a - b))
      expect(stretches.reduce((sum, { sent }) => sum + sent, 0)).toBe(2 * times.length)
    }),
    { numRuns: 50 },
  )
})
