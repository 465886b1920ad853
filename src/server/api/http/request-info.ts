import { randomUUID } from 'node:crypto'
import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { chooseLocale } from '../../../ui/i18n/choose-locale.ts'
import { LOCALE_COOKIE } from '../../../ui/i18n/locales.ts'
import { readCookies } from '../access/session-cookie.ts'

/** The HTTP server sets these headers on every request and overwrites what clients sent in them. */
export const REQUEST_ID_HEADER = 'x-request-id'
export const CLIENT_ADDRESS_HEADER = 'x-pigeonhole-address'

export type RequestInfo = {
  /** ID that connects a response with its log lines. */
  requestId: string
  /** Key by which limits count the client: its IPv4 address or IPv6 /64, after applying TRUST_PROXY. */
  address: string
  userAgent: string | null
  /** Returns the language for emails to the caller. A function, because few calls need it. */
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

/** Returns `RequestInfo.address`. */
export function clientAddress(request: Request): string {
  return addressKey(request.headers.get(CLIENT_ADDRESS_HEADER) ?? 'unknown')
}

/**
 * Returns the key by which limits count an address. For IPv6 it is the /64 network: every subscriber has at least one
 * (RFC 6177), so a limit per full address could be evaded with 2^64 addresses.
 */
export function addressKey(address: string): string {
  // Most addresses are IPv4, and isIPv6 alone takes 1 µs.
  if (!address.includes(':') && !address.includes('%')) return address
  const plain = address.replace(/%.*$/, '').toLowerCase()
  if (!isIPv6(plain) || plain.includes('.')) return plain
  const network = ipaddr.IPv6.parse(plain).parts.slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
