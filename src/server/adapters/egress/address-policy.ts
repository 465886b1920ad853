import { lookup, Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'

export type Address = { address: string; family: 4 | 6 }
/** Returns all addresses of a host name. @throws if there are none */
export type Resolve = (hostname: string) => Promise<Address[]>

/** The policy forbids connecting to this host. The message names no address, because users who gave the host see it. */
export class ForbiddenAddressError extends Error {
  constructor(host: string) {
    super(`${host} has an address that is not public`)
    this.name = 'ForbiddenAddressError'
  }
}

/** Addresses that this server can connect to when a user names the host. */
export type AddressPolicy = {
  /**
   * Resolves a name for `net.connect` and `tls.connect`. It resolves once and returns the addresses it checked, so that
   * no other address is used. Fails with ForbiddenAddressError if any address is forbidden.
   */
  lookup: LookupFunction
  /** Returns true for a URL's host that is a forbidden IP address. Node connects to these without a lookup. */
  isForbiddenHost(hostname: string): boolean
}

/** A dead name server costs at most 4 s. */
const TIMEOUT_MS = 2_000
const TRIES = 2

/**
 * Asks the name servers, without /etc/hosts and search domains. Unlike the system's resolver, it needs no thread: Node
 * has four, shared with password hashing, and names from users can take seconds.
 */
const resolvePublicName: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 as const })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 as const })),
  ]
}

/** Resolves a name like the system. */
const resolveSystemName: Resolve = async (hostname) => {
  const addresses = await lookup(hostname, { all: true, order: 'ipv4first' })
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}

/**
 * Allows public addresses. With `allowPrivate` it allows every address, and resolves names like the system
 * (/etc/hosts, search domains). Tests pass `resolve`.
 */
export function createAddressPolicy({
  allowPrivate,
  resolve = allowPrivate ? resolveSystemName : resolvePublicName,
}: {
  allowPrivate: boolean
  resolve?: Resolve
}): AddressPolicy {
  async function resolveChecked(hostname: string): Promise<[Address, ...Address[]]> {
    const [first, ...others] = await resolve(hostname)
    if (!first) throw new Error(`${hostname} has no address`)
    if (!allowPrivate && ![first, ...others].every(({ address }) => isPublicAddress(address)))
      throw new ForbiddenAddressError(hostname)
    return [first, ...others]
  }

  return {
    lookup(hostname, options, callback) {
      resolveChecked(hostname).then(
        (addresses) =>
          options.all ? callback(null, addresses) : callback(null, addresses[0].address, addresses[0].family),
        (error) => callback(error, []),
      )
    },

    isForbiddenHost(hostname) {
      const host = hostname.replace(/^\[|\]$/g, '')
      return !allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)
    },
  }
}
