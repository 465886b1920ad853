import type { TLSSocket } from 'node:tls'
import { dial } from './dial.ts'
import { H2Connection } from './h2-connection.ts'
import type { Wire, WireEvents } from './wire.ts'

export type H2WireOptions = {
  origin: string
  maxConnections: number
  /** Asked before each attempt to connect. */
  mayConnect(): boolean
  /** The peer speaks HTTP/1.1 only: this wire is of no use. */
  onHttp1(): void
}

/** HTTP/2 connections to one origin, opened one after the other as they are needed, and kept. */
export function createH2Wire(options: H2WireOptions, events: WireEvents): Wire {
  const { origin, maxConnections } = options
  const connections: H2Connection[] = []
  let dialing = false
  /** In a row, before they carried an answer: one may be a new connection that met its peer's restart. */
  let dismissals = 0
  let destroyed = false

  function roomiest(): H2Connection | undefined {
    let best: H2Connection | undefined
    for (const connection of connections) if (connection.room > (best?.room ?? 0)) best = connection
    return best
  }

  function adopt(socket: TLSSocket): void {
    if (destroyed) {
      socket.destroy()
      return
    }
    if (socket.alpnProtocol !== 'h2') {
      socket.destroy()
      options.onHttp1()
      return
    }
    connections.push(
      new H2Connection(origin, socket, {
        onRoom: events.onChange,
        onProven() {
          dismissals = 0
          events.onProven()
        },
        onClosed(connection) {
          const index = connections.indexOf(connection)
          if (index >= 0) connections.splice(index, 1)
          const isUnproven = !connection.isProven && !destroyed
          if (isUnproven && !(connection.isDismissed && ++dismissals === 1))
            events.onUnreachable(new Error('the connection ended before it carried an answer'))
          events.onChange()
        },
      }),
    )
  }

  return {
    hasRoom: () => roomiest() !== undefined,

    grow() {
      // One at a time: a peer must not see 20 handshakes at once because a burst came.
      if (dialing || destroyed || connections.some((connection) => connection.isOpening)) return
      const staying = connections.filter((connection) => !connection.isLeaving)
      if (staying.length >= maxConnections || !options.mayConnect()) return
      dialing = true
      dial(origin)
        .then(adopt, (error: Error) => {
          if (!destroyed) events.onUnreachable(error)
        })
        .finally(() => {
          dialing = false
        })
    },

    isConnected: () => connections.some((connection) => !connection.isLeaving),

    dispatch: (request, settle) => roomiest()!.dispatch(request, settle),

    tick(now, limitMs) {
      for (const connection of [...connections]) connection.tick(now, limitMs)
    },

    async destroy() {
      destroyed = true
      for (const connection of [...connections]) connection.destroy()
    },
  }
}
