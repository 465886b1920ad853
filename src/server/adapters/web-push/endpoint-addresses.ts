import { isIP } from 'node:net'
import { type AddressPolicy, createAddressPolicy, ForbiddenAddressError } from '../egress/address-policy.ts'

export type EndpointAddresses = AddressPolicy & {
  /** Returns whether a URL's host has addresses, all of which are allowed. */
  isReachable(hostname: string): Promise<boolean>
  /** Returns whether the host is a forbidden address, or resolved to one at the last lookup. */
  wasForbidden(hostname: string): boolean
}

/** Maximum hosts remembered as forbidden. */
const MAX_FORBIDDEN = 1000

/**
 * Allows endpoints only public addresses. With `allowPrivate`, the operator's hosts (WEB_PUSH_HOSTS) can also have
 * private ones; the browsers' push services never can.
 */
export function createEndpointAddresses(options: {
  hosts: readonly string[]
  allowPrivate: boolean
}): EndpointAddresses {
  const publicOnly = createAddressPolicy({ allowPrivate: false })
  const forOperator = createAddressPolicy({ allowPrivate: options.allowPrivate })
  const operatorHosts = new Set(
    options.hosts.map((host) => withoutBrackets(new URL(`https://${host}`).hostname)),
  )
  const policyOf = (hostname: string) =>
    operatorHosts.has(withoutBrackets(hostname)) ? forOperator : publicOnly
  const forbidden = new Set<string>()

  const lookup: AddressPolicy['lookup'] = (hostname, lookupOptions, callback) =>
    policyOf(hostname).lookup(hostname, lookupOptions, (error, ...found) => {
      forbidden.delete(hostname)
      if (forbidden.size >= MAX_FORBIDDEN) forbidden.clear()
      if (error instanceof ForbiddenAddressError) forbidden.add(hostname)
      callback(error, ...found)
    })
  const isForbiddenHost = (hostname: string) => policyOf(hostname).isForbiddenHost(hostname)

  return {
    lookup,

    isForbiddenHost,

    wasForbidden: (hostname) => isForbiddenHost(hostname) || forbidden.has(hostname),

    async isReachable(hostname) {
      if (isIP(withoutBrackets(hostname)) !== 0) return !isForbiddenHost(hostname)
      return new Promise((resolve) => {
        lookup(hostname, { all: true }, (error) => resolve(!error))
      })
    },
  }
}

const withoutBrackets = (hostname: string) => hostname.replace(/^\[|\]$/g, '')
