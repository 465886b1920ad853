import { lookup, Resolver } from 'node:dns/promises'

export type Address = { address: string; family: 4 | 6 }
/** All addresses of a host name; throws if there are none. */
export type Resolve = (hostname: string) => Promise<Address[]>

/** A name server that is dead costs at most 4 s. */
const TIMEOUT_MS = 2_000
const TRIES = 2

/**
 * Asks the name servers, without /etc/hosts and search domains. Unlike the system's resolver it needs no thread:
 * Node has four, password hashing uses them too, and names that others give us may take seconds.
 */
export const resolvePublicName: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES })
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
  return [
    ...(v4.status === 'fulfilled' ? v4.value : []).map((address) => ({ address, family: 4 as const })),
    ...(v6.status === 'fulfilled' ? v6.value : []).map((address) => ({ address, family: 6 as const })),
  ]
}

/** As the system resolves names. */
export const resolveSystemName: Resolve = async (hostname) => {
  const addresses = await lookup(hostname, { all: true, order: 'ipv4first' })
  return addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 }))
}
