import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { addressKey, CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from '../../server/api/http/request-info.ts'

/** Headers that Next or a library would trust from any client: its address, and applied routing rules. */
const UNTRUSTED = /^(x-forwarded-|forwarded$|x-middleware-|x-matched-path$|x-invoke-|x-real-ip$)/

/** `address`: the key by which limits count the client's address. */
type Sanitized = { requestId: string; address: string }

/**
 * Sets the request's ID and client address, and returns both. Removes what the client claims about proxies. Sets the
 * configured Host, so that a forged one cannot cause redirects to other sites.
 */
export function sanitizeRequest(request: IncomingMessage, site: URL, trustedProxies: number): Sanitized {
  const { headers } = request
  const address = clientAddress(
    headers['x-forwarded-for'],
    request.socket.remoteAddress ?? 'unknown',
    trustedProxies,
  )
  for (const name of Object.keys(headers)) if (UNTRUSTED.test(name)) delete headers[name]
  const requestId = randomUUID()
  headers[REQUEST_ID_HEADER] = requestId
  headers[CLIENT_ADDRESS_HEADER] = address
  headers.host = site.host
  headers['x-forwarded-host'] = site.host
  headers['x-forwarded-proto'] = site.protocol.slice(0, -1)
  // srvx lists the headers from here.
  const raw: string[] = []
  for (const name in headers) raw.push(name, String(headers[name]))
  request.rawHeaders = raw
  return { requestId, address: addressKey(address) }
}

/**
 * Returns the client's address. Each trusted proxy has appended the address of its peer, and the last proxy is this
 * server's peer. The client can have written anything further left.
 */
export function clientAddress(
  forwardedFor: string | string[] | undefined,
  peer: string,
  trustedProxies: number,
): string {
  // The peer's address is valid, and checking it takes 1 µs.
  if (trustedProxies === 0) return withoutPrefix(peer)
  const forwarded = String(forwardedFor ?? '')
    .split(',')
    .map((part) => addressOf(part.trim()))
    .filter((part) => part !== '')
  const chain = [...forwarded, peer]
  const address = chain[Math.max(0, chain.length - 1 - trustedProxies)]!
  return withoutPrefix(isIP(address) ? address : peer)
}

/** Returns an IPv4 address that is written as IPv6 in its usual form. */
function withoutPrefix(address: string): string {
  return address.startsWith(':') ? address.replace(/^::ffff:/i, '') : address
}

/** Returns the address without the port that some proxies append. */
function addressOf(part: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(part)?.[1] ?? /^([\d.]+):\d+$/.exec(part)?.[1] ?? part
}
