import type { PlainMessageKey } from '../../i18n/message-types.ts'

// Rules of POST /api/push/send, so that the form shows mistakes next to their fields before it sends anything. A property
// test compares them with the server's rules.

/** Maximum characters of a text. Longer texts exceed every gateway's 4096 bytes. */
const MAX_TEXT = 4000
const USER_INFO = '(https?:[/\\\\]*|[^:]+://)[^/\\\\?#]*@'
/** HTTP URLs without user name or password, which every recipient could read. */
const HTTP_URL = new RegExp(`^(?!${USER_INFO})https?://\\S+$`, 'i')
const DANGEROUS =
  'about|android-app|blob|chrome|content|data|file|filesystem|intent|itms-services|jar|javascript|ms-msdt|resource|search-ms|shell|vbscript|view-source'
/** Codes with `*` or `#`, plain or encoded, which dialers run. */
const DIAL_CODE = '(tel|telprompt|callto):.*([*#]|%2[a35])'
/**
 * Links. Excludes schemes that run or read something on the device, codes that a dialer runs, and user names, which
 * disguise the host.
 */
const LINK = new RegExp(`^(?!(${DANGEROUS}):)(?!${DIAL_CODE})(?!${USER_INFO})[a-z][a-z0-9+.-]*:\\S+$`, 'i')
const TOPIC = /^[A-Za-z0-9._~-]{1,100}$/
const LOCALE = /^[A-Za-z]{2,8}([-_][A-Za-z0-9]{1,8})*$/
export const RESERVED = /^(aps$|from$|message_type$|google|gcm)/
const MAX_BADGE = 2_147_483_647
export const MAX_TTL_SECONDS = 28 * 86_400
const MAX_COLLAPSE_ID_BYTES = 64
export const MAX_USERS = 1000
const MAX_DAYS_AHEAD = 30
const DAY_MS = 86_400_000

/** Returns why a value is invalid, or undefined. */
type Rule = (value: string) => PlainMessageKey | undefined

/** Removes surrounding white space and characters that the server cannot store. */
export function clean(value: string): string {
  return value.replaceAll('\0', '').toWellFormed().trim()
}

const upTo = (max: 100 | 200 | 2048 | 4000): Rule => {
  return (value) => (value.length > max ? `compose.errors.over${max}` : undefined)
}

export const text = upTo(MAX_TEXT)
export const category = upTo(100)
export const sound = upTo(200)

const url = (form: RegExp, error: PlainMessageKey): Rule => {
  return (value) => upTo(2048)(value) ?? (form.test(value) && URL.canParse(value) ? undefined : error)
}

export const link = url(LINK, 'compose.errors.link')
export const imageUrl = url(HTTP_URL, 'compose.errors.imageUrl')
export const topic: Rule = (value) => (TOPIC.test(value) ? undefined : 'compose.errors.topic')
export const id = upTo(200)
export const isUserId = (text: string): boolean => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(text)
export const collapseId: Rule = (value) =>
  /^\P{Cc}+$/u.test(value) && new TextEncoder().encode(value).length <= MAX_COLLAPSE_ID_BYTES
    ? undefined
    : 'compose.errors.collapseId'

const wholeNumber = (max: number, error: PlainMessageKey): Rule => {
  return (value) => (/^\d{1,10}$/.test(value) && Number(value) <= max ? undefined : error)
}

export const badge = wholeNumber(MAX_BADGE, 'compose.errors.badge')
export const ttlSeconds = wholeNumber(MAX_TTL_SECONDS, 'compose.errors.ttl')
/** Accepts 0 to 1, with a decimal point or comma. */
export const relevanceScore: Rule = (value) =>
  /^(0([.,]\d{1,6})?|1([.,]0{1,6})?)$/.test(value) ? undefined : 'compose.errors.relevanceScore'

/** Returns a language tag in canonical form, or null if it is invalid. */
export function canonicalLocale(tag: string): string | null {
  if (!LOCALE.test(tag) || tag.length > 100) return null
  try {
    return Intl.getCanonicalLocales(tag.replaceAll('_', '-'))[0] ?? null
  } catch {
    return null
  }
}

/** Checks the name of a data entry. `taken` has the payload names of other fields. */
export function dataName(name: string, taken: readonly string[]): PlainMessageKey | undefined {
  if (RESERVED.test(name)) return 'compose.errors.dataReserved'
  return taken.includes(name) ? 'compose.errors.dataTaken' : undefined
}

/** Checks the value of an `<input type="datetime-local">` and converts it to ISO 8601. */
export function readSendAt(local: string, now: Date): { sendAt: string } | { error: PlainMessageKey } {
  const time = new Date(local)
  if (Number.isNaN(time.getTime())) return { error: 'compose.errors.sendAtMissing' }
  if (time < now) return { error: 'compose.errors.sendAtPast' }
  if (time.getTime() > now.getTime() + MAX_DAYS_AHEAD * DAY_MS) return { error: 'compose.errors.sendAtFar' }
  return { sendAt: time.toISOString() }
}
