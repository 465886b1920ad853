import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import next from 'next'
import type { Config } from '../server/config.ts'
import { isShare } from '../server/http/security-headers.ts'
import { startServices } from '../server/start-services.ts'
import { StartupError } from '../server/startup-error.ts'
import { createLog } from '../server/telemetry/log.ts'
import { createRouteNames, type RoutesManifest } from '../server/telemetry/route-names.ts'
import type { RequestSpan } from '../server/telemetry/tracing.ts'
import { ambiguityOf } from './serve/ambiguous-request.ts'
import { loadApiRoutes } from './serve/api-routes.ts'
import { callRoute } from './serve/call-route.ts'
import { consoleToLog } from './serve/console-to-log.ts'
import { DRAIN_MS, drainServer, type Traffic } from './serve/drain.ts'
import { createHttpServer, listen } from './serve/http-server.ts'
import { isSupportedMethod, rejectMethod } from './serve/methods.ts'
import { learnPageOrigins } from './serve/page-origins.ts'
import { queuePages } from './serve/page-queue.ts'
import { rejectFailed } from './serve/reject-failed.ts'
import { originForm, sanitizeRequest } from './serve/sanitize-request.ts'
import { createSecurityHeaders } from './serve/security-headers.ts'
import { warnOfFaults } from './serve/warn-of-faults.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Load balancers call these every few seconds, so only failures are logged at info. */
const HEALTH_CHECKS = /^\/api\/health\//

/**
 * Runs Next on our own HTTP server. Next's own server exits within a second of SIGTERM, trusts any X-Forwarded-For and
 * Host, leaves rejected upgrades open, and continues after a failed start.
 */
export async function serve(config: Config, { dev }: { dev: boolean }): Promise<void> {
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  logUncaughtErrors(log)
  if (!dev && !existsSync(join(ROOT, '.next', 'BUILD_ID')))
    throw new StartupError('There is no build yet: run "npm run build" first.')
  await checkPort(config.port)
  if (!dev) consoleToLog(log)

  process.env.NEXT_MANUAL_SIG_HANDLE = 'true'
  // With these set, next-auth would trust X-Forwarded-Host instead of NEXTAUTH_URL.
  delete process.env.AUTH_TRUST_HOST
  delete process.env.VERCEL
  // Next would leave upgrade requests unanswered, except those for hot reloading (dev).
  const upgrades = dev ? {} : { httpServer: new EventEmitter() as Server }
  const app = next({ dev, dir: ROOT, port: config.port, ...upgrades })
  // Before Next, so that a start that cannot succeed fails first, and Next's instrumentation finds them started.
  const services = await startServices()
  await app.prepare()
  const handle = queuePages(app.getRequestHandler(), services.inTurn)

  const site = new URL(config.baseUrl)
  const routeOf = createRouteNames(await routesManifest())
  // In development the API goes through Next too, which builds a route again after a change.
  const findRoute = dev ? () => undefined : await loadApiRoutes(join(ROOT, 'src/app'))
  const setHeaders = createSecurityHeaders(config.baseUrl, await learnPageOrigins(services), dev)
  const traffic: Traffic = { lastAt: 0 }
  let draining = false

  const server = createHttpServer((request, response) => {
    const target = originForm(request.url ?? '')
    const fault =
      target === null || request.httpVersionMajor !== 1 ? 'Bad Request' : ambiguityOf(request, target)
    if (target === null || fault !== null) {
      response.writeHead(400, { connection: 'close', 'content-type': 'text/plain' }).end(fault)
      return
    }
    request.url = target
    const path = target.split('?')[0]!
    const requestId = sanitizeRequest(request, site, config.trustedProxies)
    response.setHeader('X-Request-Id', requestId)
    setHeaders(request, response, path)
    if (draining) response.setHeader('Connection', 'close')
    const route = findRoute(path)
    const pattern = route?.pattern ?? routeOf(path)
    const span = services.trace?.request({
      method: request.method ?? '',
      route: pattern,
      requestId,
      headers: request.headers,
    })
    observe(request, response, { path, route: pattern, requestId, span })
    if (!isSupportedMethod(request.method ?? '')) {
      rejectMethod(request, response, requestId)
      return
    }
    const respond = () =>
      route ? callRoute(route, request, response, site.origin) : handle(request, response)
    const responded = span ? span.run(respond) : respond()
    responded.catch((error: unknown) => {
      // The client is gone: the log line of the request says so (499).
      if (response.destroyed) return
      log.error({ err: error, requestId }, 'request handler failed')
      rejectFailed(response, requestId)
    })
  })

  /** Logs and measures every request once. */
  function observe(
    request: IncomingMessage,
    response: ServerResponse,
    {
      path,
      route,
      requestId,
      span,
    }: { path: string; route: string; requestId: string; span: RequestSpan | undefined },
  ) {
    const startedAt = performance.now()
    const method = request.method ?? ''
    traffic.lastAt = startedAt
    response.on('close', () => {
      const durationMs = performance.now() - startedAt
      const status = response.writableFinished ? response.statusCode : 499
      services.metrics.onRequest(route, method, status, durationMs / 1000)
      span?.end(status)
      const traceId = span?.traceId
      // A shared link is a secret.
      const logged = isShare(path) ? '/s/...' : path
      const line = { requestId, method, path: logged, status, durationMs: Math.round(durationMs), traceId }
      if (HEALTH_CHECKS.test(path) && status === 200) log.debug(line, 'request')
      else log.info(line, 'request')
    })
  }

  // Next's hot reload sockets, which the HTTP server does not close itself.
  const reloading = new Set<Duplex>()
  if (dev) server.on('upgrade', (_request, socket) => reloading.add(socket))

  log.info({ port: await listen(server, config.port) }, 'listening')
  void warnOfFaults(config, log)

  async function stop(signal: string): Promise<void> {
    if (draining) {
      log.warn({ signal }, 'forced to stop')
      process.exit(1)
    }
    draining = true
    log.info({ signal }, 'draining')
    setTimeout(() => {
      log.error({ afterMs: DRAIN_MS }, 'not drained in time')
      process.exit(1)
    }, DRAIN_MS).unref()
    services.health.drain()
    const workEnded = services.stopWork()
    for (const socket of reloading) socket.destroy()
    await drainServer(server, traffic, signal === 'SIGTERM')
    await workEnded
    await services.close()
    await app.close()
    log.info('stopped')
    process.exit(0)
  }
  const begin = (signal: string) => {
    stop(signal).catch((error: unknown) => {
      log.error({ err: error }, 'shutdown failed')
      process.exit(1)
    })
  }
  process.on('SIGTERM', begin)
  process.on('SIGINT', begin)
  // With an IPC channel to a parent process (npm run local, tests), stops when the parent does.
  process.on('disconnect', () => !draining && begin('disconnect'))
}

/** Fails fast, before Next spends seconds on a start that cannot succeed. @throws StartupError */
async function checkPort(port: number): Promise<void> {
  if (port === 0) return
  const server = createHttpServer(() => {})
  await listen(server, port)
  await new Promise((resolve) => server.close(resolve))
}

function logUncaughtErrors(log: ReturnType<typeof createLog>): void {
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught exception')
    process.exit(1)
  })
  process.on('unhandledRejection', (error) => log.error({ err: error }, 'unhandled rejection'))
}

/** Empty in development, where every route is then `other`. */
async function routesManifest(): Promise<RoutesManifest> {
  const file = join(ROOT, '.next', 'routes-manifest.json')
  const text = await readFile(file, 'utf8').catch(() => '{"staticRoutes":[],"dynamicRoutes":[]}')
  return JSON.parse(text) as RoutesManifest
}
