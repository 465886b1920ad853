import type { TLSSocket } from 'node:tls'
import type { AddressPolicy } from '../egress/address-policy.ts'
import { connectTls } from './connect-tls.ts'
import type { ConnectionPool, PoolEvents } from './connection-pool.ts'
import { H2Connection } from './h2-connection.ts'

type H2PoolOptions = {
  origin: string
  maxConnections: number
  addresses?: AddressPolicy
  /** Called before each attempt to connect. */
  canConnect(): boolean
  /** The peer supports only HTTP/1.1, so this pool cannot serve it. */
  onHttp1(): void
}

/** HTTP/2 connections to one origin, opened one at a time when needed, and kept. */
export function createH2Pool(options: H2PoolOptions, events: PoolEvents): ConnectionPool {
  const { origin, maxConnections, addresses } = options
  const connections: H2Connection[] = []
  let connecting = false
  /** Consecutive connections that got GOAWAY before they carried a response. */
  let earlyGoAways = 0
  let destroyed = false

  function leastLoaded(): H2Connection | undefined {
    let best: H2Connection | undefined
    for (const connection of connections) if (connection.capacity > (best?.capacity ?? 0)) best = connection
    return best
  }

  function add(socket: TLSSocket): void {
    const isHttp2 = socket.alpnProtocol === 'h2'
    if (destroyed || !isHttp2) {
      socket.destroy()
      if (!destroyed) options.onHttp1()
      return
    }
    connections.push(
      new H2Connection(origin, socket, {
        onReply: events.onReply,
        onCapacity: events.onCapacityChange,
        onVerified() {
          earlyGoAways = 0
          events.onVerified()
        },
        onClosed(connection) {
          const index = connections.indexOf(connection)
          if (index >= 0) connections.splice(index, 1)
          if (isConnectFailure(connection))
            events.onConnectFailure(new Error('the connection closed before it carried a response'))
          events.onCapacityChange()
        },
      }),
    )
  }

  function isConnectFailure(connection: H2Connection): boolean {
    if (connection.isVerified || destroyed) return false
    // One new connection can coincide with the peer's restart. A second one in a row is a fault.
    return !(connection.isGoneAway && ++earlyGoAways === 1)
  }

  return {
    hasCapacity: () => connections.some((connection) => connection.capacity > 0),

    grow() {
      // One at a time: a burst of pushes must not cause 20 handshakes at once.
      if (connecting || destroyed || connections.some((connection) => connection.isOpening)) return
      const staying = connections.filter((connection) => !connection.isClosing)
      if (staying.length >= maxConnections || !options.canConnect()) return
      connecting = true
      connectTls(origin, addresses)
        .then(add, (error: Error) => {
          if (!destroyed) events.onConnectFailure(error)
        })
        .finally(() => {
          connecting = false
        })
    },

    isConnected: () => connections.some((connection) => !connection.isClosing),

    send: (request, push) => leastLoaded()!.send(request, push),

    tick(now, timeoutMs) {
      for (const connection of [...connections]) connection.tick(now, timeoutMs)
    },

    async destroy() {
      destroyed = true
      for (const connection of [...connections]) connection.destroy()
    },
  }
}
