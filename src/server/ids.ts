import { randomInt } from 'node:crypto'
import { v7 } from 'uuid'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/
/** What a clock steps back by itself. When an operator sets it back by more, ids follow it. */
const MAX_STEP_BACK_MS = 10_000
const MAX_SEQ = 2 ** 32 - 1

/** The time of the last id, and its number among those of that time. */
let last = { msecs: 0, seq: 0 }

/** A UUIDv7 (RFC 9562). It sorts by age, so one key serves lookup, paging and broadcast ranges. */
export function newId(): string {
  const now = Date.now()
  const isSame = now <= last.msecs && last.msecs - now <= MAX_STEP_BACK_MS
  if (!isSame) last = { msecs: now, seq: randomInt(2 ** 31) }
  else if (last.seq < MAX_SEQ) last = { msecs: last.msecs, seq: last.seq + 1 }
  else last = { msecs: last.msecs + 1, seq: 0 }
  return v7(last)
}

/** As `newId`, but it sorts as if it had been made at this time. */
export function newIdOf(time: Date): string {
  return v7({ msecs: time.getTime() })
}

/** Ids are opaque to callers: a malformed one simply does not exist (`NOT_FOUND`). */
export function isId(value: string): boolean {
  return UUID.test(value)
}
