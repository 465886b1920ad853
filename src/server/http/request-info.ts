import { randomUUID } from 'node:crypto'
import { chooseLocale } from '../../ui/i18n/choose-locale.ts'
import { LOCALE_COOKIE } from '../../ui/i18n/locales.ts'
import { addressKey } from './address-key.ts'
import { readCookies } from './authentication/session-cookie.ts'

/** Set by the launcher on every request, after it removed what a client may have sent under these names. */
export const REQUEST_ID_HEADER = 'x-request-id'
export const CLIENT_ADDRESS_HEADER = 'x-pigeonhole-address'

export type RequestInfo = {
  /** Links a response to its log lines. */
  requestId: string
  /**
   * The key that limits count the client by: its IPv4 address or its IPv6 /64, taken from X-Forwarded-For as
   * TRUST_PROXY says.
   */
  address: string
  userAgent: string | null
  /** The language that the caller reads our pages in, for mails. Asked for rarely, so found out only then. */
  language: () => string
}

export function requestInfo(request: Request): RequestInfo {
  return {
    requestId: request.headers.get(REQUEST_ID_HEADER) ?? randomUUID(),
    address: clientAddress(request),
    userAgent: request.headers.get('user-agent'),
    language: () =>
      chooseLocale(readCookies(request)[LOCALE_COOKIE], request.headers.get('accept-language')).locale,
  }
}

/** `RequestInfo.address` */
export function clientAddress(request: Request): string {
  return addressKey(request.headers.get(CLIENT_ADDRESS_HEADER) ?? 'unknown')
}
