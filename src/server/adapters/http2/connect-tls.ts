import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { type AddressPolicy, ForbiddenAddressError } from '../egress/address-policy.ts'

/**
 * Limit for TCP, TLS and ALPN together, and again for the HTTP/2 peer's SETTINGS. They take well under a second from
 * anywhere, plus a second for a lost packet. Callers wait 10 s for a response, and four connections must fit into that
 * time.
 */
export const CONNECT_TIMEOUT_MS = 2_200
/** Limit for the DNS lookup before that. Resolvers wait 5 s before they ask the next name server. */
const LOOKUP_TIMEOUT_MS = 10_000

/**
 * Opens a TLS connection whose `alpnProtocol` is `h2` if the peer supports it. The process decides which certificates
 * to trust (NODE_EXTRA_CA_CERTS). Rejects with the system's or OpenSSL's error, or one that names the timeout.
 */
export async function connectTls(origin: string, addresses?: AddressPolicy): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (addresses?.isForbiddenHost(host)) throw new ForbiddenAddressError(host)
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const socket = connect({
    host,
    port: Number(port) || 443,
    ALPNProtocols: ['h2', 'http/1.1'],
    ...(isIP(host) === 0 && { servername: host }),
    lookup: addresses?.lookup,
  })
  const within = (ms: number, what: string) =>
    setTimeout(() => socket.destroy(new Error(`no ${what} within ${ms} ms`)), ms)
  const connecting = () => within(CONNECT_TIMEOUT_MS, 'TLS connection')
  let timer = isIP(host) === 0 ? within(LOOKUP_TIMEOUT_MS, `address of ${host}`) : connecting()
  socket.once('lookup', () => {
    clearTimeout(timer)
    if (!socket.destroyed) timer = connecting()
  })
  socket.once('secureConnect', () => {
    clearTimeout(timer)
    socket.off('error', reject)
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 60_000)
    resolve(socket)
  })
  socket.once('error', reject)
  socket.once('close', () => {
    clearTimeout(timer)
    reject(new Error('the peer closed the connection during the TLS handshake'))
  })
  return promise
}
