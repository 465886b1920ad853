import { AppError } from '../errors.ts'
import { errorResponse } from './endpoint.ts'
import { requestInfo } from './request-info.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
type Handlers = Record<Method | 'OPTIONS', (request: Request) => Response>

/**
 * What a route answers to the methods it does not have: 405 with `Allow`, where Next by itself says nothing but
 * the status. OPTIONS: what it has. HEAD is Next's: GET without the body.
 */
export function allowOnly(...allowed: Method[]): Handlers {
  const allow = [...allowed.flatMap((m) => (m === 'GET' ? ['GET', 'HEAD'] : [m])), 'OPTIONS'].join(', ')
  return handlers(
    (request) =>
      refusal(
        request,
        new AppError('METHOD_NOT_ALLOWED', `There is no ${request.method} here. Use one of: ${allow}.`),
        { allow },
      ),
    () => new Response(null, { status: 204, headers: { allow } }),
  )
}

/** For paths below /api/push that are none. */
export function nothingHere(): Handlers {
  const answer = (request: Request) =>
    refusal(
      request,
      new AppError('NOT_FOUND', 'There is no such endpoint. GET /api/openapi.json lists those there are.'),
    )
  return handlers(answer, answer)
}

function handlers(refuse: Handlers['GET'], options: Handlers['OPTIONS']): Handlers {
  return { GET: refuse, POST: refuse, PUT: refuse, PATCH: refuse, DELETE: refuse, OPTIONS: options }
}

function refusal(request: Request, error: AppError, headers: Record<string, string> = {}): Response {
  return errorResponse(error, requestInfo(request).requestId, { 'cache-control': 'no-store', ...headers })
}
