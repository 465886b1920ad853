// What a lean entry would be: handleTrpc behind node:http, with what the launcher does for every request (id,
// client address, security headers, log line, metrics), and no Next. Prints {"url","pid"} when it listens.

import type { IncomingMessage, ServerResponse } from 'node:http'
import { createAnswerHeaders } from '../../src/cli/serve/answers.ts'
import { identify } from '../../src/cli/serve/forwarded.ts'
import { createHttpServer, listen } from '../../src/cli/serve/http-server.ts'
import { loadConfig } from '../../src/server/config.ts'
import { build } from '../../src/server/container.ts'
import { handleTrpc } from '../../src/server/trpc/handler.ts'

const config = loadConfig()
const services = await build(config)
const pending = Promise.resolve(services)
const site = new URL(config.baseUrl)
const setHeaders = createAnswerHeaders(
  config.baseUrl,
  { store: undefined, files: undefined, signIn: [] },
  false,
)

const server = createHttpServer((request, response) => {
  const begun = performance.now()
  const path = (request.url ?? '/').split('?')[0]!
  const requestId = identify(request, site, 0)
  response.setHeader('X-Request-Id', requestId)
  setHeaders(request, response, path)
  response.on('close', () => {
    const ms = performance.now() - begun
    services.metrics.onRequest('/api/trpc/[trpc]', request.method ?? '', response.statusCode, ms / 1000)
    services.log.info(
      { requestId, method: request.method, path, status: response.statusCode, durationMs: Math.round(ms) },
      'request',
    )
  })
  void answer(request, response)
})
const port = await listen(server, 0)
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid }))
process.once('SIGTERM', async () => {
  server.close()
  server.closeAllConnections()
  await services.close()
  process.exit(0)
})

async function answer(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const url = new URL(incoming.url ?? '/', site)
  const request = new Request(url, {
    method: incoming.method,
    headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  const response = url.pathname === '/live' ? new Response('ok') : await handleTrpc(request, pending)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(await response.text())
}
