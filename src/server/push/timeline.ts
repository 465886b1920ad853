/** What was recorded of a message in one stretch of time: devices. */
export type TimelineCounts = {
  sent: number
  failed: number
  removed: number
}

/** When what was recorded: `minutes` is the length of a stretch, `at` the minute since 1970 that it begins with. */
export type Timeline = { minutes: number; stretches: ({ at: number } & TimelineCounts)[] }

/** From the first stretch to the last one, so that a message stays small however long it is sent. */
export const MAX_STRETCHES = 60

/** From a minute to a day: a message is sent for 28 days at most. */
const LENGTHS = [1, 5, 15, 60, 240, 1440]
const MINUTE_MS = 60_000

/** Adds what is recorded at this time. Stretches become longer when there would be too many. */
export function addToTimeline(before: Timeline | null, time: Date, counts: TimelineCounts): Timeline {
  const at = Math.floor(time.getTime() / MINUTE_MS)
  const all = [...(before?.stretches ?? []), { at, ...counts }]
  const first = Math.min(...all.map((stretch) => stretch.at))
  const last = Math.max(...all.map((stretch) => stretch.at))
  const fits = (minutes: number) => Math.floor(last / minutes) - Math.floor(first / minutes) < MAX_STRETCHES
  const minutes =
    LENGTHS.find((length) => length >= (before?.minutes ?? 1) && fits(length)) ?? LENGTHS.at(-1)!
  return { minutes, stretches: joined(all, minutes) }
}

function joined(stretches: Timeline['stretches'], minutes: number): Timeline['stretches'] {
  const byStart = Map.groupBy(stretches, ({ at }) => Math.floor(at / minutes) * minutes)
  return [...byStart]
    .sort(([a], [b]) => a - b)
    .map(([at, same]) => same.reduce((sum, one) => ({ ...plus(sum, one), at }), { at, ...NOTHING }))
}

const NOTHING: TimelineCounts = { sent: 0, failed: 0, removed: 0 }

function plus(a: TimelineCounts, b: TimelineCounts): TimelineCounts {
  return {
    sent: a.sent + b.sent,
    failed: a.failed + b.failed,
    removed: a.removed + b.removed,
  }
}
