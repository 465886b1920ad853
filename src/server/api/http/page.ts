import { isAppError } from '../../kernel/errors.ts'
import type { Services } from '../services.ts'
import { errorResponse } from './endpoint.ts'
import { requestInfo } from './request-info.ts'

/** Returns a page. `cookies` are values of `Set-Cookie`. */
export function htmlResponse(status: number, html: string, cookies: string[] = []): Response {
  const headers = new Headers({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
  for (const cookie of cookies) headers.append('set-cookie', cookie)
  return new Response(html, { status, headers })
}

type ErrorPage = (error: { requestId: string; baseUrl: string }) => string

/**
 * Runs the handler of a page. Converts an AppError to the JSON of the endpoints, because pages send no wrong requests,
 * and logs any other error and responds with `errorPage`: 503 if the database is unavailable, otherwise 500.
 */
export async function servePage(
  request: Request,
  pending: Promise<Services>,
  render: (services: Services) => Promise<Response>,
  errorPage: ErrorPage,
): Promise<Response> {
  const services = await pending
  const { requestId } = requestInfo(request)
  try {
    return await render(services)
  } catch (error) {
    if (isAppError(error)) return errorResponse(error, requestId, { 'cache-control': 'no-store' })
    services.log.error({ err: error, requestId }, 'cannot render the page')
    const status = services.isDatabaseUnavailable(error) ? 503 : 500
    return htmlResponse(status, errorPage({ requestId, baseUrl: services.config.baseUrl }))
  }
}
