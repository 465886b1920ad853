import { createServer, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { StartupError } from '../../server/startup-error.ts'

/** A client gets that long for its headers ... */
const HEADERS_MS = 15_000
/** ... and that long for everything it sends: the largest body is 256 KB. */
const REQUEST_MS = 60_000
/** Longer than the 60 s of the usual balancers, so that it is they who close an idle connection. */
const KEEP_ALIVE_MS = 65_000

const FAULTS: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 }

/** Node's HTTP server with bounds for slow and malformed clients. */
export function createHttpServer(listener: RequestListener): Server {
  const server = createServer(
    {
      headersTimeout: HEADERS_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 2_000,
      requireHostHeader: true,
    },
    listener,
  )
  server.on('clientError', refuse)
  // Node would leave the tunnel to us, and nobody else answers.
  server.on('connect', (_request, socket) => answer(socket, 405))
  return server
}

/** What is no HTTP request gets one plain answer, and the connection ends: what follows may be smuggled. */
function refuse(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
  else answer(socket, FAULTS[error.code ?? ''] ?? 400)
}

function answer(socket: Duplex, status: number): void {
  const text = STATUS_CODES[status] ?? ''
  socket.on('error', () => socket.destroy())
  socket.end(
    `HTTP/1.1 ${status} ${text}\r\nConnection: close\r\nContent-Type: text/plain\r\nX-Content-Type-Options: nosniff\r\nContent-Length: ${text.length}\r\n\r\n${text}`,
  )
}

/** Binds the port. @throws StartupError that names the port when somebody else has it */
export function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(new StartupError(`Port ${port} is in use. Set PORT to another one.`))
      else if (error.code === 'EACCES')
        reject(
          new StartupError(`Port ${port} needs rights that this user lacks. Set PORT to one above 1023.`),
        )
      else reject(error)
    })
    server.listen(port, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}
