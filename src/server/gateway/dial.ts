import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'

/**
 * TCP, TLS and ALPN together, and for HTTP/2 the peer's SETTINGS once more: well under a second from anywhere,
 * or a second more for a lost packet. Whoever waits for an answer has 10 s, and may need four connections.
 */
export const CONNECT_TIMEOUT_MS = 2_200
/** The name before that: resolvers take 5 s to ask the next server when one is dead, at every look-up. */
const LOOKUP_TIMEOUT_MS = 10_000

/**
 * A TLS connection; `alpnProtocol` is `h2` if the peer speaks it. Whom to trust is the process's business
 * (NODE_EXTRA_CA_CERTS). Rejects with the system's or OpenSSL's error.
 */
export function dial(origin: string): Promise<TLSSocket> {
  const { hostname, port } = new URL(origin)
  const host = hostname.replace(/^\[|\]$/g, '')
  const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>()
  const socket = connect({
    host,
    port: Number(port) || 443,
    ALPNProtocols: ['h2', 'http/1.1'],
    ...(isIP(host) === 0 && { servername: host }),
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
