// The lower bound: plain node:http, with a handler that only does what the launcher does for every request (ID, client
// address, security headers, log line, metrics). Prints {"url","pid"} when it listens.

import { createHttpServer, listen } from '../../src/cli/serve/http-server.ts'
import { sanitizeRequest } from '../../src/cli/serve/sanitize-request.ts'
import { createSecurityHeaders } from '../../src/cli/serve/security-headers.ts'
import { createLog } from '../../src/server/adapters/telemetry/log.ts'
import { createMetrics } from '../../src/server/adapters/telemetry/metrics.ts'

const site = new URL('http://app.test')
const log = createLog('info')
const metrics = createMetrics()
const origins = { store: undefined, files: undefined, signIn: [] }
const setHeaders = createSecurityHeaders(site.origin, origins, false)

const server = createHttpServer((request, response) => {
  const startedAt = performance.now()
  const path = (request.url ?? '/').split('?')[0]!
  const requestId = sanitizeRequest(request, site, 0)
  response.setHeader('X-Request-Id', requestId)
  setHeaders(request, response, path)
  response.on('close', () => {
    const ms = performance.now() - startedAt
    const status = response.statusCode
    metrics.onRequest('/api/health/live', request.method ?? '', status, ms / 1000)
    log.info({ requestId, method: request.method, path, status, durationMs: Math.round(ms) }, 'request')
  })
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end('{"status":"live"}')
})
const port = await listen(server, 0)
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid }))
process.once('SIGTERM', () => process.exit(0))
