import ipaddr from 'ipaddr.js'

/** Azure's platform endpoint serves metadata at an address that looks public. */
const AZURE_PLATFORM = '168.63.129.16'

const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')
/** RFC 9637. */
const DOCUMENTATION = ipaddr.IPv6.parseCIDR('3fff::/20')
const NAT64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96')

/**
 * Returns true for an IP address of the public internet: none of IANA's special-purpose ranges, such as private,
 * loopback, link-local, metadata, documentation or multicast. IPv6 forms that embed an IPv4 address count as that
 * address (mapped, NAT64) or are never public (6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  if (parsed instanceof ipaddr.IPv4) return isPublicIpv4(parsed)
  if (parsed.isIPv4MappedAddress()) return isPublicIpv4(parsed.toIPv4Address())
  if (parsed.match(NAT64)) return isPublicIpv4(new ipaddr.IPv4(parsed.toByteArray().slice(12)))
  return parsed.range() === 'unicast' && parsed.match(GLOBAL_UNICAST) && !parsed.match(DOCUMENTATION)
}

const isPublicIpv4 = (address: ipaddr.IPv4) =>
  address.range() === 'unicast' && address.toString() !== AZURE_PLATFORM
