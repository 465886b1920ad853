// Serves the API's own route files on a port, as `npm start` does, in the test's process.

import { join } from 'node:path'
import { ROOT } from '../../../src/cli/build-if-needed.ts'
import { loadApiRoutes } from '../../../src/cli/serve/api-routes.ts'
import { CLIENT_ADDRESS_HEADER } from '../../../src/server/api/http/request-info.ts'
import { listen } from './listen.ts'
import type { TestApp } from './test-app.ts'

export type ApiServer = { url: string; close(): void }

/** Route files use the services of the process, so set those. */
export async function startApiServer(app: TestApp): Promise<ApiServer> {
  Object.assign(globalThis, { [Symbol.for('pigeonhole.services')]: Promise.resolve(app.services) })
  const find = await loadApiRoutes(join(ROOT, 'src/app'))
  return listen(async (request) => {
    const route = find(new URL(request.url).pathname)
    if (!route) return new Response(null, { status: 404 })
    // The server in front of the routes sets this header.
    request.headers.set(CLIENT_ADDRESS_HEADER, request.headers.get('x-test-address') ?? '192.0.2.1')
    const method = request.method === 'HEAD' ? 'GET' : request.method
    return route.handlers[method]!(request, route.params)
  })
}
