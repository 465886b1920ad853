import { Pool } from 'undici'
import { CONNECT_TIMEOUT_MS } from './dial.ts'
import { H1Exchange } from './h1-exchange.ts'
import type { Wire, WireEvents } from './wire.ts'

/** HTTP/1.1 carries one request per connection. */
const CONNECTIONS = 128

/** HTTP/1.1 for peers that have nothing else: plain-http emulators, and proxies that end HTTP/2. */
export function createH1Wire(origin: string, timeoutMs: number, events: WireEvents): Wire {
  const pool = new Pool(origin, {
    allowH2: false,
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  })
  const exchanges = new Set<H1Exchange>()

  return {
    hasRoom: () => exchanges.size < CONNECTIONS,

    // undici connects as requests come.
    grow() {},

    isConnected: () => pool.stats.connected > 0,

    dispatch({ path, headers, body }, settle) {
      const exchange = new H1Exchange((reply) => {
        exchanges.delete(exchange)
        if (reply.kind === 'answer') events.onProven()
        settle(reply)
      }, events.onUnreachable)
      exchanges.add(exchange)
      pool.dispatch({ method: 'POST', path, headers: headers as Record<string, string>, body }, exchange)
    },

    tick(now, limitMs) {
      // undici's own time limits begin anew with each byte that comes.
      for (const exchange of exchanges)
        if (exchange.startedAt > 0 && now - exchange.startedAt > limitMs) exchange.abandon('TIMEOUT')
    },

    destroy: () => pool.destroy(),
  }
}
