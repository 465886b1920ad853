/** Source of the current time, which tests can set. */
export type Clock = { now(): Date }

export const systemClock: Clock = { now: () => new Date() }

export const daysAfter = (time: Date, days: number): Date => secondsAfter(time, days * 86_400)

export function secondsAfter(time: Date, seconds: number): Date {
  return new Date(time.getTime() + seconds * 1000)
}
