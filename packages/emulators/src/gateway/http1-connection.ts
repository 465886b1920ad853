import type { IncomingMessage, ServerResponse } from 'node:http'
import { Connection, type ConnectionParts } from './connection.ts'
import { BodyCollector, flatHeaders, type GatewayRequest, type Reply, repeatedNames } from './request.ts'

/** HTTP/1.1 connection: one request at a time, and `Connection: close` instead of GOAWAY. */
export class Http1Connection extends Connection {
  #closing = false

  constructor(parts: ConnectionParts) {
    super('http/1.1', parts)
  }

  override goAway(): void {
    this.#closing = true
    if (this.inFlight === 0) this.cut()
  }

  take(
    request: IncomingMessage,
    response: ServerResponse,
    onRequest: (request: GatewayRequest) => void,
  ): void {
    this.entered()
    response.once('close', () => this.left())
    const { goAwayAfter } = this.faults.settings
    if (goAwayAfter !== null && this.requests >= goAwayAfter) this.#closing = true
    const body = new BodyCollector()
    request.on('data', (chunk: Buffer) => body.add(chunk))
    request.once('end', () =>
      onRequest({
        connection: this,
        method: request.method ?? '',
        path: request.url ?? '',
        headers: flatHeaders(request.headers),
        repeatedHeaders: repeatedNames(request.rawHeaders),
        body: body.whole(),
        bodyBytes: body.bytes,
        respond: (reply) => this.#respond(response, reply),
        reset: () => this.cut(),
      }),
    )
  }

  #respond(response: ServerResponse, reply: Reply): boolean {
    if (response.destroyed) return false
    const text = reply.body ?? ''
    response.writeHead(reply.status, {
      ...reply.headers,
      ...(this.#closing ? { connection: 'close' } : {}),
      'content-length': Buffer.byteLength(text),
    })
    response.end(text)
    return true
  }
}
