import { createServer as createHttp1Server } from 'node:http'
import { performServerHandshake } from 'node:http2'
import { createServer as createTcpServer, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { started } from '../serve-http.ts'
import { BenchmarkConnection, type BenchmarkServices } from './benchmark-connection.ts'
import type { Connection } from './connection.ts'
import type { FaultScript } from './fault-script.ts'
import { Http1Connection } from './http1-connection.ts'
import { Http2Connection } from './http2-connection.ts'
import type { GatewayRequest } from './request.ts'
import type { ConnectionMetrics } from './request-log.ts'

export type ListenerOptions = {
  /** Default: 0, a free port. */
  port?: number
  /** Default: 127.0.0.1. */
  host?: string
  /** PEM texts. Without them, the gateway speaks plain HTTP/1.1, and HTTP/2 with prior knowledge. */
  tls?: { certPem: string; keyPem: string }
  /** True if the gateway speaks HTTP/1.1 besides HTTP/2. */
  http1: boolean
  /** Maximum number of open streams on a new connection, until its credential is accepted. */
  initialStreams: number
}

export type ListenerServices = {
  metrics: ConnectionMetrics
  faults: FaultScript
  /** Called with each complete request. */
  onRequest: (request: GatewayRequest) => void
  /** If set, every connection is a benchmark connection. */
  benchmark: BenchmarkServices | null
}

export type Listener = {
  readonly port: number
  readonly url: string
  readonly connections: ReadonlySet<Connection>
  close(): Promise<void>
}

/** Accepts connections, detects their protocol, and hands over complete requests. */
export async function listen(
  options: ListenerOptions,
  { metrics, faults, onRequest, benchmark }: ListenerServices,
): Promise<Listener> {
  const host = options.host ?? '127.0.0.1'
  const connections = new Set<Connection>()
  const sockets = new Set<Socket>()
  const http1Connections = new WeakMap<Socket, Http1Connection>()
  let nextId = 1

  const http1Server = createHttp1Server((request, response) =>
    http1Connections.get(request.socket)?.take(request, response, onRequest),
  )

  const track = (connection: Connection, socket: Socket): void => {
    connections.add(connection)
    socket.once('close', () => connections.delete(connection))
  }

  const speakHttp2 = (socket: Socket): void => {
    if (benchmark) {
      track(new BenchmarkConnection({ id: nextId++, socket, metrics, faults }, benchmark), socket)
      return
    }
    const session = performServerHandshake(socket, {
      settings: { maxConcurrentStreams: options.initialStreams },
    })
    track(new Http2Connection({ id: nextId++, socket, metrics, faults }, session, onRequest), socket)
  }

  const speakHttp1 = (socket: Socket): void => {
    if (!options.http1 || benchmark) {
      socket.destroy()
      return
    }
    const connection = new Http1Connection({ id: nextId++, socket, metrics, faults })
    http1Connections.set(socket, connection)
    track(connection, socket)
    http1Server.emit('connection', socket)
  }

  const server = options.tls
    ? createTlsServer(
        {
          cert: options.tls.certPem,
          key: options.tls.keyPem,
          ALPNProtocols: options.http1 ? ['h2', 'http/1.1'] : ['h2'],
        },
        (socket) => (socket.alpnProtocol === 'h2' ? speakHttp2(socket) : speakHttp1(socket)),
      )
    : createTcpServer({ noDelay: true }, (socket) => {
        socket.once('readable', () => {
          const first: Buffer | null = socket.read()
          if (!first) return
          socket.unshift(first)
          // The HTTP/2 session itself reads the bytes put back. A flowing socket would deliver them twice.
          if (first.toString('latin1', 0, 4) === 'PRI ') speakHttp2(socket)
          else {
            speakHttp1(socket)
            socket.resume()
          }
        })
      })
  server.on('connection', (socket: Socket) => {
    socket.on('error', () => {})
    if (faults.settings.refuseConnections) {
      socket.resetAndDestroy()
      return
    }
    socket.setNoDelay(true)
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  server.on('tlsClientError', () => {})

  const port = await started(server, options.port ?? 0, host)
  const urlHost = host.includes(':') ? `[${host}]` : host
  return {
    port,
    url: `${options.tls ? 'https' : 'http'}://${urlHost}:${port}`,
    connections,
    close: () =>
      new Promise((resolve) => {
        http1Server.closeAllConnections()
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
