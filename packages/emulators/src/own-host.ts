import type { IncomingMessage } from 'node:http'
import { isIP } from 'node:net'

/**
 * Returns true if the request's `Host` is `localhost` or an IP address. A page of another site can point its own name at
 * this machine (DNS rebinding), and then counts as the server's own page; its requests carry that name.
 */
export function namesThisMachine({ headers }: IncomingMessage): boolean {
  const hostname = URL.parse(`http://${headers.host}`)?.hostname ?? ''
  return hostname === 'localhost' || isIP(hostname.replace(/^\[|\]$/g, '')) !== 0
}
