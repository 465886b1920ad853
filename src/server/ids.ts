import { v7 } from 'uuid'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** A UUIDv7 (RFC 9562). It sorts by age, so one key serves lookup, paging and broadcast ranges. */
export function newId(): string {
  return v7()
}

/** As `newId`, but it sorts as if it had been made at this time. */
export function newIdOf(time: Date): string {
  return v7({ msecs: time.getTime() })
}

/** Ids are opaque to callers: a malformed one simply does not exist (`NOT_FOUND`). */
export function isId(value: string): boolean {
  return UUID.test(value)
}
