import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { addressKey } from '../../server/api/http/request-info.ts'
import { StartupError } from '../../server/kernel/startup-error.ts'
import { oneAtATime } from './one-at-a-time.ts'

/** Time in which a client must send its headers. */
const HEADERS_MS = 15_000
/** Time in which a client must send the whole request, whose body has at most 256 KB. */
const REQUEST_MS = 60_000
/** Longer than the usual 60 s of load balancers, so that they close idle connections, not this server. */
const KEEP_ALIVE_MS = 65_000

const STATUS_OF_ERROR: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/**
 * Creates Node's HTTP server with limits for slow, pipelining and malformed clients. Closes connections of an address
 * beyond `maxConnections`.
 */
export function createHttpServer(
  listener: RequestListener,
  maxConnections = Number.POSITIVE_INFINITY,
): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: true,
    },
    oneAtATime(listener),
  )
  server.on('connection', limitPerAddress(maxConnections))
  server.on('clientError', rejectMalformed)
  // Without a listener, Node would not answer CONNECT.
  server.on('connect', (_request, socket) => respond(socket, 405))
  return server
}

function limitPerAddress(max: number): (socket: Socket) => void {
  const counts = new Map<string, number>()
  return (socket) => {
    const address = addressKey(socket.remoteAddress ?? '')
    const count = counts.get(address) ?? 0
    if (count >= max) {
      socket.destroy()
      return
    }
    counts.set(address, count + 1)
    socket.once('close', () => {
      const left = counts.get(address)! - 1
      if (left > 0) counts.set(address, left)
      else counts.delete(address)
    })
  }
}

/** Responds to a malformed request and closes the connection, because what follows may be a smuggled request. */
function rejectMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else respond(socket, STATUS_OF_ERROR[error.code ?? ''] ?? 400)
}

function respond(socket: Duplex, status: number): void {
  const text = STATUS_CODES[status] ?? ''
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Type: text/plain\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
}

type ListenOptions = {
  port: number
  /** IP address. Default: all addresses of this machine. */
  listenHost?: string
}

/** Binds the port and returns it. @throws StartupError if the port or the address is in use or not permitted */
export function listen(server: Server, { port, listenHost }: ListenOptions): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(new StartupError(`Port ${port} is in use. Set PORT to another one.`))
      else if (error.code === 'EACCES')
        reject(new StartupError(`This user cannot listen on port ${port}. Set PORT to one above 1023.`))
      else if (error.code === 'EADDRNOTAVAIL')
        reject(new StartupError(`This machine does not have the address ${listenHost}. Change LISTEN_HOST.`))
      else reject(error)
    })
    server.listen(port, listenHost, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
