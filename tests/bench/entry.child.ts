// Two other entries for the same routes, with what the launcher does for every request (id, client address,
// security headers, log line, metrics). `next`: Next looks for the route itself. `node:http`: no Next at all,
// which is what a lean entry would be. Prints {"url","pid"} when it listens.

import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import next from 'next'
import { ROOT } from '../../src/cli/build-if-needed.ts'
import { createHttpServer, listen } from '../../src/cli/serve/http-server.ts'
import { sanitizeRequest } from '../../src/cli/serve/sanitize-request.ts'
import { createSecurityHeaders } from '../../src/cli/serve/security-headers.ts'
import { loadConfig } from '../../src/server/config.ts'
import { build } from '../../src/server/container.ts'
import { whenStarted } from '../../src/server/started.ts'
import { handleTrpc } from '../../src/server/trpc/handler.ts'

const config = loadConfig()
const app =
  process.argv[2] === 'next' ? next({ dir: ROOT, httpServer: new EventEmitter() as Server }) : undefined
const started = app && whenStarted()
await app?.prepare()
const services = (await started) ?? (await build(config))
const answer = app?.getRequestHandler() ?? lean
const pending = Promise.resolve(services)
const site = new URL(config.baseUrl)
const setHeaders = createSecurityHeaders(
  config.baseUrl,
  { store: undefined, files: undefined, signIn: [] },
  false,
)

const server = createHttpServer((request, response) => {
  const begun = performance.now()
  const path = (request.url ?? '/').split('?')[0]!
  const requestId = sanitizeRequest(request, site, 0)
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

async function lean(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  const url = new URL(incoming.url ?? '/', site)
  const request = new Request(url, {
    method: incoming.method,
    headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
    ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
  })
  const response =
    url.pathname === '/api/health/live' ? new Response('ok') : await handleTrpc(request, pending)
  outgoing.writeHead(response.status, Object.fromEntries(response.headers))
  outgoing.end(await response.text())
}
