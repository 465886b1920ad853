import { secondsAfter } from '../clock.ts'
import { AppError } from '../errors.ts'

export const MAX_AHEAD_DAYS = 30
/** Clocks of callers are that far behind, and requests under way: "now" must not be refused. */
export const LATE_SECONDS = 30
const DAY_SECONDS = 86_400

/**
 * When a push is to be sent.
 * @throws AppError BAD_REQUEST: it is over, or too far ahead
 */
export function readSendAt(given: string, now: Date): Date {
  const sendAt = new Date(given)
  const fault =
    sendAt < secondsAfter(now, -LATE_SECONDS)
      ? `is over; it is ${now.toISOString()} now, and up to ${LATE_SECONDS} seconds ago counts as now`
      : sendAt > secondsAfter(now, MAX_AHEAD_DAYS * DAY_SECONDS)
        ? `is more than ${MAX_AHEAD_DAYS} days ahead`
        : undefined
  if (fault === undefined) return sendAt
  throw new AppError('BAD_REQUEST', `The input is not valid. sendAt: ${fault}. Nothing was sent.`, {
    fieldErrors: { sendAt: [fault] },
  })
}
