// The build behind Next's own request handler, to compare with `npm start`, which calls the API's routes itself. Every
// request gets what the launcher adds: an ID, the client address, security headers, a log line, metrics. Prints
// {"url","pid"} when it listens.

import { EventEmitter } from 'node:events'
import type { Server } from 'node:http'
import next from 'next'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { createHttpServer, listen } from '../../../src/cli/serve/http-server.ts'
import { originForm } from '../../../src/cli/serve/request-target.ts'
import { sanitizeRequest } from '../../../src/cli/serve/sanitize-request.ts'
import { createSecurityHeaders } from '../../../src/cli/serve/security-headers.ts'
import { setHeaders } from '../../../src/cli/serve/send-response.ts'
import { loadConfig } from '../../../src/server/config/config.ts'
import { startServices } from '../../../src/server/wiring/start-services.ts'

const config = loadConfig()
const site = new URL(config.baseUrl)
const origins = { store: config.s3.endpoint, files: undefined, signIn: [] }
const securityHeaders = createSecurityHeaders(config.baseUrl, origins, false)
const services = await startServices()
const app = next({ dir: ROOT, httpServer: new EventEmitter() as Server })
await app.prepare()
const handle = app.getRequestHandler()

const server = createHttpServer((request, response) => {
  const startedAt = performance.now()
  request.url = originForm(request.url ?? '') ?? '/'
  const path = request.url.split('?')[0]!
  const { requestId } = sanitizeRequest(request, site, config.trustedProxies)
  setHeaders(response, ['X-Request-Id', requestId, ...securityHeaders(request, path)])
  response.on('close', () => {
    const ms = performance.now() - startedAt
    const status = response.writableFinished ? response.statusCode : 499
    services.metrics.onRequest('/api/trpc/[trpc]', request.method ?? '', status, ms / 1000)
    services.log.info(
      { requestId, method: request.method, path, status, durationMs: Math.round(ms) },
      'request',
    )
  })
  void handle(request, response)
})
const port = await listen(server, { port: 0 })
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid }))

async function stop(): Promise<void> {
  server.close()
  server.closeAllConnections()
  await services.close()
  process.exit(0)
}
process.once('SIGTERM', stop)
process.once('disconnect', stop)
