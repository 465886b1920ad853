import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'
import { randomBytes16 } from './random-bytes.ts'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** Largest automatic step back of a clock. If an operator sets the clock back further, IDs follow it. */
const MAX_STEP_BACK_MS = 10_000
const MAX_SEQ = 2 ** 32 - 1

/** Time of the last ID, and its sequence number within that time. */
let last = { msecs: 0, seq: 0 }

/** Returns a UUIDv7 (RFC 9562). It sorts by age, so one key serves lookups, paging and broadcast ranges. */
export function newId(): string {
  const now = Date.now()
  const isSame = now <= last.msecs && last.msecs - now <= MAX_STEP_BACK_MS
  if (!isSame) last = { msecs: now, seq: randomInt(2 ** 31) }
  else if (last.seq < MAX_SEQ) last = { msecs: last.msecs, seq: last.seq + 1 }
  else last = { msecs: last.msecs + 1, seq: 0 }
  return v7({ ...last, random: randomBytes16() })
}

/** Returns an ID that sorts as if it had been created at this time. */
export function newIdOf(time: Date): string {
  return v7({ msecs: time.getTime(), random: randomBytes16() })
}

/** Returns the smallest ID of this time, for comparisons. */
export function firstIdOf(time: Date): string {
  const hex = Math.max(0, time.getTime()).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`
}

/** Less than every ID. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000'
/** Greater than every ID. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Returns false for a malformed ID. IDs are opaque to callers, so a malformed one is simply NOT_FOUND. */
export function isId(value: string): boolean {
  return UUID.test(value)
}
