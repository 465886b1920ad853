import { isIP } from 'node:net'
import { type AddressPolicy, createAddressPolicy, ForbiddenAddressError } from '../egress/address-policy.ts'

export type EndpointAddresses = AddressPolicy & {
  /** Whether the host (of a URL) has addresses and all of them may be connected to. */
  isReachable(hostname: string): Promise<boolean>
  /** Whether the host is an address that is not allowed, or had one at the last look-up. */
  wasForbidden(hostname: string): boolean
}

/** Hosts that are remembered as forbidden. */
const MAX_FORBIDDEN = 1000

/**
 * Which addresses the hosts of endpoints may have: public ones. With `allowPrivate` the hosts that the operator names
 * (WEB_PUSH_HOSTS) may have private ones; the browsers' push services never.
 */
export function createEndpointAddresses(options: {
  hosts: readonly string[]
  allowPrivate: boolean
}): EndpointAddresses {
  const publicOnly = createAddressPolicy({ allowPrivate: false })
  const operators = createAddressPolicy({ allowPrivate: options.allowPrivate })
  const names = new Set(options.hosts.map((host) => unbracketed(new URL(`https://${host}`).hostname)))
  const policyOf = (hostname: string) => (names.has(unbracketed(hostname)) ? operators : publicOnly)
  const forbidden = new Set<string>()

  function note(hostname: string, isForbidden: boolean): void {
    if (!isForbidden) forbidden.delete(hostname)
    else {
      if (forbidden.size >= MAX_FORBIDDEN) forbidden.clear()
      forbidden.add(hostname)
    }
  }

  const lookup: AddressPolicy['lookup'] = (hostname, lookupOptions, callback) =>
    policyOf(hostname).lookup(hostname, lookupOptions, (error, ...found) => {
      note(hostname, error instanceof ForbiddenAddressError)
      callback(error, ...found)
    })
  const isForbiddenHost = (hostname: string) => policyOf(hostname).isForbiddenHost(hostname)

  return {
    lookup,

    isForbiddenHost,

    wasForbidden: (hostname) => isForbiddenHost(hostname) || forbidden.has(hostname),

    async isReachable(hostname) {
      if (isIP(unbracketed(hostname)) !== 0) return !isForbiddenHost(hostname)
      return new Promise((resolve) => {
        lookup(hostname, { all: true }, (error) => resolve(!error))
      })
    },
  }
}

const unbracketed = (hostname: string) => hostname.replace(/^\[|\]$/g, '')
