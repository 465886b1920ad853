import { AppError } from '../../kernel/errors.ts'
import { errorResponse } from './endpoint.ts'
import { requestInfo } from './request-info.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Handler = (request: Request) => Response

/**
 * Returns handlers for the methods that a route does not support: 405 with `Allow` and a body, where Next sends only
 * the status. OPTIONS lists the supported methods. HEAD uses the route's GET.
 */
export function allowOnly(...allowed: Method[]) {
  const allow = [...allowed.flatMap((m) => (m === 'GET' ? ['GET', 'HEAD'] : [m])), 'OPTIONS'].join(', ')
  return handleAll((request) => {
    if (request.method === 'OPTIONS') return new Response(null, { status: 204, headers: { allow } })
    const message = `${request.method} is not allowed here. Use one of: ${allow}.`
    return respondWith(request, new AppError('METHOD_NOT_ALLOWED', message), { allow })
  })
}

/** Returns handlers for unknown paths, which respond with 404. */
export function notFound() {
  const error = new AppError('NOT_FOUND', 'Endpoint not found. GET /api/openapi.json lists all endpoints.')
  return handleAll((request) => respondWith(request, error))
}

const handleAll = (handler: Handler): Record<Method | 'OPTIONS', Handler> => ({
  GET: handler,
  POST: handler,
  PUT: handler,
  PATCH: handler,
  DELETE: handler,
  OPTIONS: handler,
})

const respondWith = (request: Request, error: AppError, headers: Record<string, string> = {}) =>
  errorResponse(error, requestInfo(request).requestId, { 'cache-control': 'no-store', ...headers })
