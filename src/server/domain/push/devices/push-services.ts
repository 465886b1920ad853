import { isIP } from 'node:net'

/** Operator of a push service. `other`: a host that WEB_PUSH_HOSTS allows. */
export type PushService = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other'

/**
 * Hosts of the browsers' push services. A leading dot means all subdomains. Chrome and most browsers built on it use
 * fcm.googleapis.com, some use jmt17.google.com, and old ones used android.googleapis.com. Apple documents
 * *.push.apple.com, and Microsoft *.notify.windows.com.
 */
const HOSTS: [host: string, service: PushService][] = [
  ['fcm.googleapis.com', 'google'],
  ['android.googleapis.com', 'google'],
  ['jmt17.google.com', 'google'],
  ['.push.services.mozilla.com', 'mozilla'],
  ['.push.apple.com', 'apple'],
  ['.notify.windows.com', 'microsoft'],
]

type EndpointCheck = { service: PushService } | { fault: string }

/**
 * Returns the push service of this endpoint, or why the endpoint is not allowed. `hosts`: further hosts that are
 * allowed, as in a URL: `push.example.com`, or `push.example.com:8443` with a port.
 */
export function checkEndpoint(endpoint: string, hosts: readonly string[]): EndpointCheck {
  const url = URL.parse(endpoint)
  if (!url) return { fault: 'must be a URL' }
  if (url.protocol !== 'https:') return { fault: 'must be an https URL' }
  if (url.username || url.password || endpoint.includes('#'))
    return { fault: 'must not have a user name, password or fragment' }
  if (hosts.includes(url.host)) return { service: 'other' }
  const known =
    url.port === '' && isIP(url.hostname) === 0 && HOSTS.find(([host]) => matches(url.hostname, host))
  if (known) return { service: known[1] }
  return {
    fault:
      'must be at the push service of a browser (Google, Mozilla, Apple, Microsoft), or at a host that the operator of this server allows (WEB_PUSH_HOSTS)',
  }
}

function matches(hostname: string, host: string): boolean {
  return host.startsWith('.') ? hostname.endsWith(host) && !hostname.startsWith('.') : hostname === host
}
