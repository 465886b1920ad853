/** Devices recorded in one interval. */
export type TimelineCounts = { sent: number; failed: number; removed: number }

/** An interval; `at`: its first minute since 1970. */
type Stretch = { at: number } & TimelineCounts

/** Results of a message over time, in intervals of `minutes`. */
export type Timeline = { minutes: number; stretches: Stretch[] }

/** Intervals from the first one to the last, so that a message's row stays small. */
export const MAX_INTERVALS = 60

/** Interval lengths in minutes. The longest is a day, because sending takes at most 28 days. */
const LENGTHS = [1, 5, 15, 60, 240, 1440]
const MINUTE_MS = 60_000

/** Adds results recorded at this time. Lengthens the intervals when there would be too many. */
export function addToTimeline(before: Timeline | null, time: Date, counts: TimelineCounts): Timeline {
  const at = Math.floor(time.getTime() / MINUTE_MS)
  const all = [...(before?.stretches ?? []), { at, ...counts }]
  const first = Math.min(...all.map((stretch) => stretch.at))
  const last = Math.max(...all.map((stretch) => stretch.at))
  const fits = (minutes: number) => Math.floor(last / minutes) - Math.floor(first / minutes) < MAX_INTERVALS
  const minutes =
    LENGTHS.find((length) => length >= (before?.minutes ?? 1) && fits(length)) ?? LENGTHS.at(-1)!
  return { minutes, stretches: merged(all, minutes) }
}

function merged(stretches: Stretch[], minutes: number): Stretch[] {
  const byStart = new Map<number, Stretch>()
  for (const { at: minute, sent, failed, removed } of stretches) {
    const at = Math.floor(minute / minutes) * minutes
    const sum = byStart.get(at) ?? { sent: 0, failed: 0, removed: 0 }
    byStart.set(at, {
      at,
      sent: sum.sent + sent,
      failed: sum.failed + failed,
      removed: sum.removed + removed,
    })
  }
  return [...byStart.values()].sort((a, b) => a.at - b.at)
}
