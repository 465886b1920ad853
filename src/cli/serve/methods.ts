import type { IncomingMessage, ServerResponse } from 'node:http'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const ALLOW = METHODS.join(', ')

/** Whether any route has this method. Others (TRACE, PROPFIND) Next answers with a 500, a 400 or a page. */
export function isMethod(method: string): boolean {
  return METHODS.includes(method)
}

/** 405, as the JSON endpoints say it (`allowOnly`). */
export function refuseMethod(request: IncomingMessage, response: ServerResponse, requestId: string): void {
  const message = `There is no ${request.method} here. Use one of: ${ALLOW}.`
  response.writeHead(405, { allow: ALLOW, 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(JSON.stringify({ error: { code: 'METHOD_NOT_ALLOWED', message }, requestId }))
}
