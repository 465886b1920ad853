// Serves functions with fetch's signature on a port, without Next.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Listener = { url: string; close(): void }

export async function listen(answer: (request: Request) => Promise<Response>): Promise<Listener> {
  const server = createServer((incoming, outgoing) => {
    // A client that disconnects early does not fail the test.
    respond(incoming, outgoing, answer).catch(() => outgoing.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function respond(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  answer: (request: Request) => Promise<Response>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const headers = new Headers()
  for (const [name, value] of Object.entries(incoming.headers))
    for (const one of [value ?? []].flat()) headers.append(name, one)
  const gone = new AbortController()
  outgoing.once('close', () => !outgoing.writableFinished && gone.abort())
  const request = new Request(`http://${incoming.headers.host}${incoming.url}`, {
    method: incoming.method,
    headers,
    body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
    signal: gone.signal,
  })
  const response = await answer(request)
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value)
  outgoing.writeHead(response.status)
  outgoing.end(Buffer.from(await response.arrayBuffer()))
}
