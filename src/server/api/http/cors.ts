/** Requests that pages of other origins can send. Browsers cache the response for 10 minutes. */
const PREFLIGHT = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'authorization, content-type, trpc-accept, x-trpc-source',
  'access-control-max-age': '600',
}
const READABLE = 'retry-after, x-request-id'

/** Lets pages of CORS_ORIGINS call with a bearer token or, on the same site, the cookie. Other origins get no CORS headers. */
export function withCors(request: Request, response: Response, origins: readonly string[]): Response {
  if (origins.length === 0) return response
  response.headers.append('vary', 'origin')
  const origin = request.headers.get('origin')
  if (origin === null || !origins.includes(origin)) return response
  response.headers.set('access-control-allow-origin', origin)
  response.headers.set('access-control-allow-credentials', 'true')
  response.headers.set('access-control-expose-headers', READABLE)
  return response
}

/** Handles OPTIONS. */
export function preflight(request: Request, origins: readonly string[]): Response {
  const response = withCors(request, new Response(null, { status: 204 }), origins)
  if (response.headers.has('access-control-allow-origin'))
    for (const [name, value] of Object.entries(PREFLIGHT)) response.headers.set(name, value)
  return response
}
