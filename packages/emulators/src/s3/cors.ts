import { s3Error } from './errors.ts'
import { emptyReply, type Reply } from './reply.ts'
import type { S3Request } from './request.ts'
import type { CorsRule } from './types.ts'

/** Matches a pattern in which one `*` stands for any text. */
function matchesPattern(pattern: string, value: string): boolean {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === value
  const head = pattern.slice(0, star)
  const tail = pattern.slice(star + 1)
  return value.length >= head.length + tail.length && value.startsWith(head) && value.endsWith(tail)
}

function requestedHeaders(request: S3Request): string[] {
  const list = request.headers['access-control-request-headers'] ?? ''
  return list.split(',').flatMap((one) => one.trim().toLowerCase() || [])
}

/** Returns the first rule that allows origin, method and all requested headers. */
function findRule(
  rules: CorsRule[],
  origin: string,
  method: string,
  headers: string[],
): CorsRule | undefined {
  return rules.find((rule) => {
    if (!rule.allowedOrigins.some((pattern) => matchesPattern(pattern, origin))) return false
    if (!rule.allowedMethods.includes(method)) return false
    return headers.every((name) =>
      rule.allowedHeaders.some((pattern) => matchesPattern(pattern.toLowerCase(), name)),
    )
  })
}

function headersOf(
  rule: CorsRule,
  origin: string,
  requested: string[],
  hideEtag: boolean,
): Record<string, string> {
  const anyone = rule.allowedOrigins.includes('*')
  const exposed = rule.exposeHeaders.filter((name) => !hideEtag || name.toLowerCase() !== 'etag')
  const headers: Record<string, string> = {
    'access-control-allow-origin': anyone ? '*' : origin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
    vary: 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
  }
  if (!anyone) headers['access-control-allow-credentials'] = 'true'
  if (requested.length > 0) headers['access-control-allow-headers'] = requested.join(', ')
  if (exposed.length > 0) headers['access-control-expose-headers'] = exposed.join(', ')
  if (rule.maxAgeSeconds !== undefined) headers['access-control-max-age'] = String(rule.maxAgeSeconds)
  return headers
}

/** Returns the CORS headers of every response, including errors, if the origin is allowed; none otherwise. */
export function corsHeaders(
  request: S3Request,
  rules: CorsRule[] | undefined,
  hideEtag: boolean,
): Record<string, string> {
  const origin = request.headers.origin
  if (origin === undefined || rules === undefined) return {}
  const rule = findRule(rules, origin, request.method, [])
  return rule ? headersOf(rule, origin, [], hideEtag) : {}
}

/**
 * Responds to OPTIONS, which requires no signature.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html
 * @throws S3Error AccessForbidden (403), BadRequest (400) without Origin
 */
export function preflight(request: S3Request, rules: CorsRule[] | undefined, hideEtag: boolean): Reply {
  const origin = request.headers.origin
  const method = request.headers['access-control-request-method']
  if (origin === undefined)
    throw s3Error('BadRequest', 'Insufficient information. Origin request header needed.')
  if (method === undefined) throw s3Error('BadRequest', 'Invalid Access-Control-Request-Method: null')
  if (rules === undefined) {
    throw s3Error('AccessForbidden', 'CORSResponse: CORS is not enabled for this bucket.', { Method: method })
  }
  const requested = requestedHeaders(request)
  const rule = findRule(rules, origin, method, requested)
  if (!rule) {
    throw s3Error(
      'AccessForbidden',
      "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by the resource's CORS spec.",
      { Method: method, ResourceType: 'OBJECT' },
    )
  }
  return emptyReply(200, headersOf(rule, origin, requested, hideEtag))
}
