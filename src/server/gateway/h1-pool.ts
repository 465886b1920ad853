import { buildConnector, Pool } from 'undici'
import { type AddressPolicy, ForbiddenAddressError } from '../egress/address-policy.ts'
import { CONNECT_TIMEOUT_MS } from './connect-tls.ts'
import type { ConnectionPool, PoolEvents } from './connection-pool.ts'
import { H1Request } from './h1-request.ts'

/** HTTP/1.1 carries one request per connection. */
const CONNECTIONS = 128

/** HTTP/1.1 for peers that speak nothing else: plain-http emulators, and proxies that terminate HTTP/2. */
export function createH1Pool(
  origin: string,
  timeoutMs: number,
  events: PoolEvents,
  addresses?: AddressPolicy,
): ConnectionPool {
  const pool = new Pool(origin, {
    allowH2: false,
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: connector(addresses),
  })
  const inFlight = new Set<H1Request>()

  return {
    hasCapacity: () => inFlight.size < CONNECTIONS,

    // undici opens connections as requests come.
    grow() {},

    isConnected: () => pool.stats.connected > 0,

    send({ path, headers, body }, settle) {
      const request = new H1Request((reply) => {
        inFlight.delete(request)
        if (reply.kind === 'response') events.onVerified()
        settle(reply)
      }, events.onConnectFailure)
      inFlight.add(request)
      pool.dispatch({ method: 'POST', path, headers: headers as Record<string, string>, body }, request)
    },

    tick(now, limitMs) {
      // undici's own timeouts start again with each byte that comes.
      for (const request of inFlight)
        if (request.startedAt > 0 && now - request.startedAt > limitMs) request.abort('TIMEOUT')
    },

    destroy: () => pool.destroy(),
  }
}

function connector(addresses: AddressPolicy | undefined): buildConnector.connector {
  const connect = buildConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    ...(addresses && { lookup: addresses.lookup }),
  })
  return (target, callback) => {
    if (addresses?.isForbiddenHost(target.hostname))
      callback(new ForbiddenAddressError(target.hostname), null)
    else connect(target, callback)
  }
}
