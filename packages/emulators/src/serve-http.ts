import { createServer, type RequestListener, type ServerOptions } from 'node:http'
import type { AddressInfo, Server } from 'node:net'

export type HttpService = { port: number; close(): Promise<void> }

type Where = {
  /** Default: 0, a free port. */
  port?: number | undefined
  /** Default: 127.0.0.1. */
  host?: string | undefined
}

/** Starts an HTTP server. Closing it also closes open connections. Rejects if it cannot listen (EADDRINUSE). */
export async function serveHttp(
  listener: RequestListener,
  { port = 0, host = '127.0.0.1' }: Where,
  options: ServerOptions = {},
): Promise<HttpService> {
  const server = createServer(options, listener)
  return {
    port: await started(server, port, host),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Resolves with the port once `server` listens. Rejects if it cannot (EADDRINUSE). */
export function started(server: Server, port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}
