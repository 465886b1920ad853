/** Cookie with the browser's IANA time zone, such as `Europe/Vienna`. Every page sets it on the first visit. */
export const TIME_ZONE_COOKIE = 'pigeonhole-time-zone'

/** Returns the cookie's time zone, or undefined if this runtime does not know it. */
export function timeZoneOf(cookie: string | undefined): string | undefined {
  if (cookie === undefined || !/^[\w+/-]{1,64}$/.test(cookie)) return undefined
  try {
    new Intl.DateTimeFormat('en', { timeZone: cookie })
    return cookie
  } catch {
    return undefined
  }
}

let known: string | undefined

/** Returns the browser's time zone. Read once per page, because every shown time needs it. */
export function browserTimeZone(): string {
  known ??= Intl.DateTimeFormat().resolvedOptions().timeZone
  return known
}
