import { isIP, type LookupFunction } from 'node:net'
import { isPublicAddress } from './public-address.ts'
import { type Address, type Resolve, resolvePublicName, resolveSystemName } from './resolve-name.ts'

/** A host that must not be connected to. The message names no address: it may be shown to whoever gave the host. */
export class ForbiddenAddressError extends Error {
  constructor(host: string) {
    super(`${host} has an address that is not public`)
    this.name = 'ForbiddenAddressError'
  }
}

/** Where this server may connect to when somebody else names the host. */
export type AddressPolicy = {
  /**
   * For `net.connect` and `tls.connect`: resolves the name once, checks every address, and returns those, so that what
   * is connected to is what was checked. Fails with ForbiddenAddressError if any of them is not allowed.
   */
  lookup: LookupFunction
  /** Of a URL's host that is an IP address, which Node connects to without a look-up. */
  isForbiddenHost(hostname: string): boolean
}

/**
 * `allowPrivate`: every address is allowed, and names are resolved as the system does (/etc/hosts, search domains).
 * `resolve` is for tests.
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
