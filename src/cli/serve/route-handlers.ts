import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'

export type RouteHandler = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** The module that Next's build makes of a `route.ts`: "Invoking Entrypoints" in Next's adapter documentation. */
type Entrypoint = {
  handler(
    request: IncomingMessage,
    response: ServerResponse,
    context: { requestMeta: { relativeProjectDir: string; initURL: string } },
  ): Promise<unknown>
}

/**
 * The built `route.ts` of each route pattern, called directly. Next's own routing costs 0.2 to 0.3 ms of CPU, which is
 * wasted where the pattern is known (docs/decisions/040-lean-entry.md).
 */
export async function loadRouteHandlers(root: string, site: URL): Promise<Map<string, RouteHandler>> {
  const manifest = async (path: string) =>
    JSON.parse(await readFile(join(root, '.next', path), 'utf8')) as Record<string, string>
  const [patterns, files] = await Promise.all([
    manifest('app-path-routes-manifest.json'),
    manifest('server/app-paths-manifest.json'),
  ])
  const require = createRequire(join(root, 'package.json'))
  const relativeProjectDir = relative(process.cwd(), root)
  const handlers = new Map<string, RouteHandler>()
  for (const [name, pattern] of Object.entries(patterns)) {
    if (!name.endsWith('/route')) continue
    const entrypoint = (await require(join(root, '.next', 'server', files[name]!))) as Entrypoint
    handlers.set(pattern, async (request, response) => {
      // 'close' reports broken connections; an 'error' without a listener could end the process.
      request.on('error', noop)
      response.on('error', noop)
      // Next flushes the headers of every response although the body follows at once, which costs a packet.
      response.flushHeaders = noop
      const requestMeta = { relativeProjectDir, initURL: site.origin + request.url }
      await entrypoint.handler(request, response, { requestMeta })
    })
  }
  return handlers
}

function noop(): void {}
