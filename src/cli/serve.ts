import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import next from 'next'
import type { Config } from '../server/config.ts'
import { CLIENT_ADDRESS_HEADER, REQUEST_ID_HEADER } from '../server/http/request-info.ts'
import { whenStarted } from '../server/started.ts'
import { createLog } from '../server/telemetry/log.ts'

/** How long requests and pushes in flight get after SIGTERM. */
const DRAIN_MS = 25_000

/**
 * Next on our own HTTP server, since Next by itself leaves within a second of SIGTERM, believes any
 * X-Forwarded-For, and goes on after a failed start.
 */
export async function serve(config: Config, options: { dev: boolean }): Promise<void> {
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)

  process.env.NEXT_MANUAL_SIG_HANDLE = 'true'
  const app = next({
    dev: options.dev,
    dir: fileURLToPath(new URL('../..', import.meta.url)),
    port: config.port,
  })
  const started = whenStarted()
  started.catch(() => {})
  await app.prepare()
  const handle = app.getRequestHandler()
  const services = await started

  const server = createServer((request, response) => {
    identify(request, response, config.trustedProxies)
    logWhenDone(request, response)
    handle(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'request handler failed')
      if (!response.headersSent) response.writeHead(500)
      response.end()
    })
  })
  server.keepAliveTimeout = 65_000
  server.requestTimeout = 60_000

  function logWhenDone(request: IncomingMessage, response: ServerResponse) {
    const started = performance.now()
    response.on('close', () => {
      log.info(
        {
          requestId: request.headers[REQUEST_ID_HEADER],
          method: request.method,
          path: request.url?.split('?')[0],
          status: response.writableFinished ? response.statusCode : 499,
          durationMs: Math.round(performance.now() - started),
        },
        'request',
      )
    })
  }

  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.port, resolve)
  })
  const address = server.address()
  log.info({ port: typeof address === 'object' ? address?.port : config.port }, 'listening')

  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    log.info({ signal }, 'draining')
    const deadline = setTimeout(() => {
      log.error('not drained in time')
      process.exit(1)
    }, DRAIN_MS)
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeIdleConnections()
    const sweep = setInterval(() => server.closeIdleConnections(), 100)
    await closed
    clearInterval(sweep)
    await services.close()
    await app.close()
    clearTimeout(deadline)
    log.info('stopped')
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  // Started by another Node process with a channel (npm run local, tests): ends with it.
  process.on('disconnect', () => stop('disconnect'))
}

/** Gives the request its id and its client's address; what a client sent under these names is dropped. */
function identify(request: IncomingMessage, response: ServerResponse, trustedProxies: number): void {
  const requestId = randomUUID()
  request.headers[REQUEST_ID_HEADER] = requestId
  response.setHeader('X-Request-Id', requestId)
  const forwarded = String(request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((s) => s.trim())
    .filter(Boolean)
  const peer = request.socket.remoteAddress ?? 'unknown'
  // Each trusted proxy appended the address it saw; the last of them is the peer itself.
  const chain = [...forwarded, peer]
  const address =
    trustedProxies === 0 ? peer : (chain[Math.max(0, chain.length - 1 - trustedProxies)] ?? peer)
  request.headers[CLIENT_ADDRESS_HEADER] = address.replace(/^::ffff:/, '')
}
