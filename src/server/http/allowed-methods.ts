import { AppError } from '../errors.ts'
import { errorResponse } from './endpoint.ts'
import { requestInfo } from './request-info.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Handlers = Record<Method | 'OPTIONS', (request: Request) => Response>

/**
 * Handlers for the methods that a route does not have: 405 with `Allow` and a body, where Next sends only the status.
 * OPTIONS lists the methods it has. Next answers HEAD itself, from GET.
 */
export function allowOnly(...allowed: Method[]): Handlers {
  const allow = [...allowed.flatMap((m) => (m === 'GET' ? ['GET', 'HEAD'] : [m])), 'OPTIONS'].join(', ')
  return handlers(
    (request) =>
      errorFor(
        request,
        new AppError('METHOD_NOT_ALLOWED', `There is no ${request.method} here. Use one of: ${allow}.`),
        { allow },
      ),
    () => new Response(null, { status: 204, headers: { allow } }),
  )
}

/** Handlers for unknown paths below /api/push: 404. */
export function notFound(): Handlers {
  const respond = (request: Request) =>
    errorFor(
      request,
      new AppError('NOT_FOUND', 'There is no such endpoint. GET /api/openapi.json lists all endpoints.'),
    )
  return handlers(respond, respond)
}

function handlers(reject: Handlers['GET'], options: Handlers['OPTIONS']): Handlers {
  return { GET: reject, POST: reject, PUT: reject, PATCH: reject, DELETE: reject, OPTIONS: options }
}

function errorFor(request: Request, error: AppError, headers: Record<string, string> = {}): Response {
  return errorResponse(error, requestInfo(request).requestId, { 'cache-control': 'no-store', ...headers })
}
