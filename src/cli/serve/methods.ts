import type { IncomingMessage, ServerResponse } from 'node:http'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ALLOW = METHODS.join(', ')

/** Whether any route may have this method. Next answers others (TRACE, PROPFIND) with a 500, a 400 or a page. */
export function isSupportedMethod(method: string): boolean {
  return METHODS.includes(method)
}

/** Sends the same 405 as the JSON endpoints (`allowOnly`). */
export function rejectMethod(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const message = `There is no ${request.method} here. Use one of: ${ALLOW}.`
  response.writeHead(405, { allow: ALLOW, 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify({ error: { code: 'METHOD_NOT_ALLOWED', message }, requestId }))
}
