import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from '../../server/http/request-info.ts'

/** Headers that Next or a library would trust from any client: the own address, routing rules already applied. */
const UNTRUSTED = /^(x-forwarded-|forwarded$|x-middleware-|x-matched-path$|x-invoke-|x-real-ip$)/

/**
 * Sets the request's id and client address, and removes what the client claims about proxies and hosts. The Host is the
 * configured one, so a forged Host cannot redirect anybody elsewhere. Returns the request id.
 */
export function sanitizeRequest(request: IncomingMessage, site: URL, trustedProxies: number): string {
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
  return requestId
}

/** The absolute form: a host without user name, a path or query as they were sent, and no fragment. */
const ABSOLUTE = /^https?:\/\/(?<host>[^/\\?#@]+)(?<path>\/[^#]*|\?[^#]*|)$/i

/**
 * The path and query of a request target. The host of the absolute form takes the place of the Host header (RFC 9112,
 * 3.2.2), and then that of the site takes the place of either. Null for a form that only proxies accept or nobody,
 * which Next would answer with 500.
 */
export function originForm(target: string): string | null {
  if (target.startsWith('/')) return decodable(target)
  const { host, path = '' } = ABSOLUTE.exec(target)?.groups ?? {}
  if (!URL.canParse(`http://${host ?? ''}`)) return null
  return decodable(path.startsWith('/') ? path : `/${path}`)
}

/** Takes malformed escapes such as `%E0%A4%A` literally; Next would answer 500. */
function decodable(target: string): string {
  const [path = '', ...query] = target.split('?')
  try {
    decodeURIComponent(path)
    return target
  } catch {
    return [path.replaceAll('%', '%25'), ...query].join('?')
  }
}

/**
 * The client's address. Each trusted proxy appended the address it saw, and the last of them is the peer; anything
 * further left was written by the client.
 */
export function clientAddress(
  forwardedFor: string | string[] | undefined,
  peer: string,
  trustedProxies: number,
): string {
  const forwarded = String(forwardedFor ?? '')
    .split(',')
    .map((part) => addressOf(part.trim()))
    .filter((part) => part !== '')
  const chain = [...forwarded, peer]
  const address = chain[Math.max(0, chain.length - 1 - trustedProxies)]!
  return (isIP(address) ? address : peer).replace(/^::ffff:/i, '')
}

/** Without the port, which some proxies append. */
function addressOf(part: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(part)?.[1] ?? /^([\d.]+):\d+$/.exec(part)?.[1] ?? part
}
