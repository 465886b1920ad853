import { secondsAfter } from '../clock.ts'

const DAY_SECONDS = 24 * 60 * 60

/** A session ends this long after its last use ... */
export const IDLE_SESSION_SECONDS = 30 * DAY_SECONDS

/** ... and this long after the sign-in, however much it is used. */
export const MAX_SESSION_SECONDS = 90 * DAY_SECONDS

/** When a session of this sign-in ends if it is not used again. */
export function sessionEnd(createdAt: Date, lastSeenAt: Date): Date {
  const idle = secondsAfter(lastSeenAt, IDLE_SESSION_SECONDS)
  const latest = secondsAfter(createdAt, MAX_SESSION_SECONDS)
  return idle < latest ? idle : latest
}
