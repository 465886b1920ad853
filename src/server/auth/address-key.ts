import { isIPv6 } from 'node:net'

/**
 * What counts as one address. An IPv6 subscriber has a /64 at least (RFC 6177), so whoever is limited by
 * the full address has 2^64 of them.
 */
export function addressKey(address: string): string {
  const plain = address.replace(/%.*$/, '').toLowerCase()
  if (!isIPv6(plain) || plain.includes('.')) return plain
  const [head = '', tail] = plain.split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(zeros).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((g) => Number.parseInt(g, 16).toString(16))
    .join(':')}::/64`
}
