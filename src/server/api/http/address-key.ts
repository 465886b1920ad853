import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * Returns the key by which limits count an address. For IPv6 it is the /64 network: every subscriber has at least one
 * (RFC 6177), so a limit per full address could be evaded with 2^64 addresses.
 */
export function addressKey(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase()
  if (!isIPv6(plain) || plain.includes('.')) return plain
  const network = ipaddr.IPv6.parse(plain).parts.slice(0, 4)
  return `${network.map((group) => group.toString(16)).join(':')}::/64`
}
