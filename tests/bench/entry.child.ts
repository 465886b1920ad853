// The lower bound: plain node:http, with a handler that only does what the launcher does for every request: ID, client
// address, security headers and metrics. Health checks are not logged. Prints {"url","pid"} when it listens.

import { createHttpServer, listen } from '../../src/cli/serve/http-server.ts'
import { createObserver } from '../../src/cli/serve/observe-requests.ts'
import { sanitizeRequest } from '../../src/cli/serve/sanitize-request.ts'
import { createSecurityHeaders } from '../../src/cli/serve/security-headers.ts'
import { createLog } from '../../src/server/adapters/telemetry/log.ts'
import { createMetrics } from '../../src/server/adapters/telemetry/metrics.ts'

const site = new URL('http://app.test')
const origins = { store: undefined, files: undefined, signIn: [] }
const securityHeaders = createSecurityHeaders(site.origin, origins, false)
const observe = createObserver({ log: createLog('info'), metrics: createMetrics(), trace: undefined })
const BODY = '{"status":"live"}'

const server = createHttpServer((request, response) => {
  const path = (request.url ?? '/').split('?')[0]!
  const { requestId } = sanitizeRequest(request, site, 0)
  observe(request, response, { path, route: '/api/health/live', requestId })
  response.writeHead(200, [
    ...['X-Request-Id', requestId, ...securityHeaders(request, path)],
    ...['content-type', 'application/json', 'cache-control', 'no-store'],
    ...['content-length', String(BODY.length)],
  ])
  response.end(BODY)
})
const port = await listen(server, { port: 0 })
console.log(JSON.stringify({ url: `http://127.0.0.1:${port}`, pid: process.pid }))
process.once('SIGTERM', () => process.exit(0))
