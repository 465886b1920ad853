import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from '../../server/http/request-info.ts'

/** What Next or a library would believe from anybody: where it stands, which rules were applied already. */
const NOT_FOR_CLIENTS = /^(x-forwarded-|forwarded$|x-middleware-|x-matched-path$|x-invoke-|x-real-ip$)/

/**
 * Gives a request its id and its client's address, and takes away what a client says about who and where we
 * are: with the configured host in place, no redirect can be steered by a forged Host.
 */
export function identify(request: IncomingMessage, site: URL, trustedProxies: number): string {
  const { headers } = request
  const address = clientAddress(
    headers['x-forwarded-for'],
    request.socket.remoteAddress ?? 'unknown',
    trustedProxies,
  )
  for (const name of Object.keys(headers)) if (NOT_FOR_CLIENTS.test(name)) delete headers[name]
  const requestId = randomUUID()
  headers[REQUEST_ID_HEADER] = requestId
  headers[CLIENT_ADDRESS_HEADER] = address
  headers.host = site.host
  headers['x-forwarded-host'] = site.host
  headers['x-forwarded-proto'] = site.protocol.slice(0, -1)
  return requestId
}

/**
 * The path and query of a request's target; what it says about scheme and host (absolute form, RFC 9112 3.2.2)
 * does not count. Null: a form that is for proxies or for nobody, of which Next makes a 500.
 */
export function originForm(target: string): string | null {
  if (target.startsWith('/')) return decodable(target)
  const url = /^https?:/i.test(target) ? URL.parse(target) : null
  return url && decodable(url.pathname + url.search)
}

/** Next answers 500 to a path with escapes that are none, such as `%E0%A4%A`: here they mean what they say. */
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
 * Each trusted proxy appended the address it saw, and the last of them is the peer: what stands further left
 * was written by the client.
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

/** Some proxies append the port too. */
function addressOf(part: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(part)?.[1] ?? /^([\d.]+):\d+$/.exec(part)?.[1] ?? part
}
