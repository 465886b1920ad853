import { EventEmitter } from 'node:events'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, Server } from 'node:http'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import next from 'next'
import { createLog } from '../server/adapters/telemetry/log.ts'
import {
  createRouteNames,
  MISSING_ROUTE,
  type RoutesManifest,
} from '../server/adapters/telemetry/route-names.ts'
import { REQUEST_ID_HEADER } from '../server/api/http/request-info.ts'
import type { Config } from '../server/config/config.ts'
import { AppError, INTERNAL_MESSAGE } from '../server/kernel/errors.ts'
import { StartupError } from '../server/kernel/startup-error.ts'
import { startServices } from '../server/wiring/start-services.ts'
import { errorPage } from '../ui/plain-pages/error-page.ts'
import { pageContext } from '../ui/plain-pages/page-context.ts'
import { type AddressPlace, createAddressQueue } from './serve/address-queue.ts'
import { loadApiRoutes } from './serve/api-routes.ts'
import { loadBuildFiles } from './serve/build-files.ts'
import { callRoute } from './serve/call-route.ts'
import { consoleToLog } from './serve/console-to-log.ts'
import { DRAIN_MS, drainServer, type Traffic } from './serve/drain.ts'
import { createHttpServer, listen } from './serve/http-server.ts'
import { createObserver } from './serve/observe-requests.ts'
import { findPageOrigins } from './serve/page-origins.ts'
import { replaceErrorPage } from './serve/replace-error-page.ts'
import { pathOf, readTarget } from './serve/request-target.ts'
import { isRouterStateValid, isServerAction } from './serve/router-state.ts'
import { sanitizeRequest } from './serve/sanitize-request.ts'
import { createSecurityHeaders } from './serve/security-headers.ts'
import { sendError } from './serve/send-error.ts'
import { setCommonHeaders, setHeaders } from './serve/send-response.ts'
import { watchUncaughtErrors } from './serve/uncaught-errors.ts'
import { unread, unreadRejection } from './serve/unread-responses.ts'
import { warnOfFaults } from './serve/warn-of-faults.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Next responds to other methods (TRACE, PROPFIND) with 500, 400 or a page. */
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ALLOW = METHODS.join(', ')
/**
 * Maximum connections from one address: at least 20 KB each, so 40 MB in total. This is twice the number of requests
 * that can wait in one of the address's queues (call-queue.ts). Does not apply with TRUST_PROXY: all connections then
 * come from the proxies, which limit their own clients.
 */
const MAX_CONNECTIONS_PER_ADDRESS = 2_000

/**
 * Runs the API and Next on our own HTTP server. Next's server exits within a second of SIGTERM, trusts any
 * X-Forwarded-For and Host, leaves rejected upgrades open, and continues after a failed start.
 */
export async function serve(config: Config, { dev }: { dev: boolean }): Promise<void> {
  const log = createLog(config.logLevel)
  for (const warning of config.warnings) log.warn(warning)
  const uncaughtErrors = watchUncaughtErrors(log)
  if (!dev && !existsSync(join(ROOT, '.next', 'BUILD_ID')))
    throw new StartupError('The build is missing. Run "npm run build" first.')
  await checkPort(config)
  if (!dev) consoleToLog(log)

  process.env.NEXT_MANUAL_SIG_HANDLE = 'true'
  // With these variables, next-auth would trust X-Forwarded-Host instead of NEXTAUTH_URL.
  delete process.env.AUTH_TRUST_HOST
  delete process.env.VERCEL
  // Keeps Next away from upgrade requests, which it would not answer. In development it needs them for hot reloading.
  const upgrades = dev ? {} : { httpServer: new EventEmitter() as Server }
  const app = next({ dev, dir: ROOT, port: config.port, ...upgrades })
  // Before Next, so that a failing start ends early, and Next's instrumentation finds the services started.
  const services = await startServices()
  await app.prepare()
  const handle = app.getRequestHandler()
  const admit = createAddressQueue({
    ...services,
    fail(error, response) {
      // The client has disconnected, which the log line of the request says (499).
      if (response.destroyed) return
      log.error({ err: error, requestId: response.req.headers[REQUEST_ID_HEADER] }, 'request handler failed')
      sendError(response, new AppError('INTERNAL_SERVER_ERROR', INTERNAL_MESSAGE)).catch(() =>
        response.destroy(),
      )
    },
  })

  const site = new URL(config.baseUrl)
  const routeOf = createRouteNames(await routesManifest())
  // In development, Next also handles the API, because it rebuilds changed routes.
  const findApiRoute = dev ? () => undefined : await loadApiRoutes(join(ROOT, 'src/app'))
  const sendBuildFile = dev ? () => false : await loadBuildFiles(join(ROOT, '.next'))
  const publicFiles = new Set(
    (await readdir(join(ROOT, 'public'), { recursive: true })).map((file) => `/${file}`),
  )
  /** Returns undefined for what Next serves: its pages, the files of its build and those of `public`. */
  const findRoute = (path: string) => {
    const route = findApiRoute(path)
    if (route?.pattern !== MISSING_ROUTE) return route
    return routeOf(path) === 'other' && !publicFiles.has(path) ? route : undefined
  }
  const securityHeaders = createSecurityHeaders(config.baseUrl, await findPageOrigins(services), dev)
  const observe = createObserver(services)
  const traffic: Traffic = { lastAt: 0 }
  let draining = false

  const maxConnections = config.trustedProxies === 0 ? MAX_CONNECTIONS_PER_ADDRESS : undefined
  const server = createHttpServer((request, response) => {
    const read = readTarget(request)
    if ('fault' in read) {
      response.writeHead(400, { connection: 'close', 'content-type': 'text/plain' }).end(read.fault)
      return
    }
    traffic.lastAt = performance.now()
    const method = request.method ?? ''
    request.url = read.target
    const path = pathOf(read.target)
    const { requestId, address } = sanitizeRequest(request, site, config.trustedProxies)
    const headers = ['X-Request-Id', requestId, ...securityHeaders(request, path)]
    if (draining) headers.push('Connection', 'close')
    const route = findRoute(path)
    if (route) setCommonHeaders(response, headers)
    else setHeaders(response, headers)
    const pattern = route?.pattern === MISSING_ROUTE ? 'other' : (route?.pattern ?? routeOf(path))
    const span = observe(request, response, { path, route: pattern, requestId })
    const answer = (place: AddressPlace) => {
      if (!METHODS.includes(method)) {
        const message = `${method} is not allowed here. Use one of: ${ALLOW}.`
        return sendError(response, new AppError('METHOD_NOT_ALLOWED', message), { allow: ALLOW })
      }
      if (!isRouterStateValid(request.headers)) {
        const message = 'The header Next-Router-State-Tree is malformed. Reload the page.'
        return sendError(response, new AppError('BAD_REQUEST', message))
      }
      if (route) return callRoute(route, request, response, { address, place })
      if (isServerAction(request.headers)) {
        const message = 'Pages accept no uploads and have no Server Actions. Reload the page.'
        return sendError(response, new AppError('BAD_REQUEST', message))
      }
      // Next streams files and pages, and would wait forever for a client that does not read.
      if (unread.isFull(address)) return sendError(response, unreadRejection())
      if (!dev) {
        unread.add(address, response)
        if (sendBuildFile(request, response, path)) return Promise.resolve()
        replaceErrorPage(response, () => errorPageFor(request, requestId, config.baseUrl))
      }
      return handle(request, response)
    }
    const queued = { response, path, pattern: route?.pattern, address }
    if (span) span.run(() => admit(queued, answer))
    else admit(queued, answer)
  }, maxConnections)

  // Sockets of Next's hot reloading, which the HTTP server does not close.
  const reloading = new Set<Duplex>()
  if (dev) server.on('upgrade', (_request, socket) => reloading.add(socket))

  log.info({ port: await listen(server, config) }, 'listening')
  // To npm run local, which cannot ask over HTTP: another process can respond on the port.
  process.send?.('listening')
  uncaughtErrors.serving({
    canServe: () => server.listening || draining,
    onError: services.metrics.onUncaughtError,
  })
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
    const workEnded = services.drain()
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
  // With an IPC channel to a parent process (npm run local, tests), stops when the parent stops.
  process.on('disconnect', () => !draining && begin('disconnect'))
}

/** Returns the page that replaces one that Next could not render. */
function errorPageFor({ headers }: IncomingMessage, requestId: string, siteUrl: string): string {
  const get = (name: string) => headers[name]?.toString() ?? null
  return errorPage(pageContext({ get }), { requestId, siteUrl })
}

/** Checks early that the port is free, because Next takes seconds to start. @throws StartupError */
async function checkPort(config: Config): Promise<void> {
  if (config.port === 0) return
  const server = createHttpServer(() => {})
  await listen(server, config)
  await new Promise((resolve) => server.close(resolve))
}

/** Returns an empty manifest in development, where metrics count every page as `other`. */
async function routesManifest(): Promise<RoutesManifest> {
  const file = join(ROOT, '.next', 'routes-manifest.json')
  const text = await readFile(file, 'utf8').catch(() => '{"staticRoutes":[],"dynamicRoutes":[]}')
  return JSON.parse(text) as RoutesManifest
}
