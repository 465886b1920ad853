import { isIP } from 'node:net'

/** Whose push service a subscription is with. `other`: a host that the operator allows (WEB_PUSH_HOSTS). */
export type PushService = 'google' | 'mozilla' | 'apple' | 'microsoft' | 'other'

/**
 * Hosts of the browsers' push services; a leading dot stands for all below. Chrome and most that are built on it:
 * fcm.googleapis.com (jmt17.google.com in some, android.googleapis.com once). Apple asks to allow *.push.apple.com,
 * Microsoft *.notify.windows.com.
 */
const HOSTS: [host: string, service: PushService][] = [
  ['fcm.googleapis.com', 'google'],
  ['android.googleapis.com', 'google'],
  ['jmt17.google.com', 'google'],
  ['.push.services.mozilla.com', 'mozilla'],
  ['.push.apple.com', 'apple'],
  ['.notify.windows.com', 'microsoft'],
]

export type EndpointCheck = { service: PushService } | { fault: string }

/**
 * Whose push service this endpoint (an absolute URL) is with, or why it is not called. `hosts`: further ones that are
 * allowed, as in a URL: `push.example.com`, or with a port, `push.example.com:8443`.
 */
export function checkEndpoint(endpoint: string, hosts: readonly string[]): EndpointCheck {
  const url = URL.parse(endpoint)
  if (!url) return { fault: 'must be a URL' }
  if (url.protocol !== 'https:') return { fault: 'must be an https URL' }
  if (url.username || url.password || endpoint.includes('#'))
    return { fault: 'must not have a user name, password or fragment' }
  if (hosts.includes(url.host)) return { service: 'other' }
  const known =
    url.port === '' && isIP(url.hostname) === 0 && HOSTS.find(([host]) => isBelow(url.hostname, host))
  if (known) return { service: known[1] }
  return {
    fault:
      'must be at the push service of a browser (Google, Mozilla, Apple, Microsoft), or at a host that the operator of this server allows (WEB_PUSH_HOSTS)',
  }
}

function isBelow(hostname: string, host: string): boolean {
  return host.startsWith('.') ? hostname.endsWith(host) && !hostname.startsWith('.') : hostname === host
}
