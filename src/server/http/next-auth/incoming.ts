import { readCookies } from '../authentication/session-cookie.ts'
import { readBody } from '../body.ts'
import { callbackUrlCookieName } from './cookies.ts'
import { safeRedirectUrl } from './safe-redirect-url.ts'

const AUTH_PATH = '/api/auth/'

/** The largest valid body is a form with an email and a password. */
const MAX_BODY_BYTES = 16 * 1024

/** next-auth's own word for an error that the page need not tell apart. */
const UNKNOWN_ERROR = 'Default'

/**
 * The request as next-auth wants it. What anybody may write into links and cookies, and next-auth takes for a fault of
 * the server's (500, and an error in the log), is replaced: a callback URL that is none, and an error that is no code.
 */
export async function incomingOf(request: Request, baseUrl: string) {
  const { origin } = new URL(baseUrl)
  const url = new URL(request.url)
  const query: Record<string, string> = Object.fromEntries(url.searchParams)
  const cookies = readCookies(request)
  const cookie = callbackUrlCookieName(baseUrl)
  if (query.callbackUrl) query.callbackUrl = safeRedirectUrl(query.callbackUrl, origin)
  if (cookies[cookie]) cookies[cookie] = safeRedirectUrl(cookies[cookie], origin)
  if (query.error !== undefined && !/^[A-Za-z_]{1,64}$/.test(query.error)) query.error = UNKNOWN_ERROR
  const nextauth = url.pathname.slice(AUTH_PATH.length).split('/')
  return {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    cookies,
    query: { ...query, nextauth },
    body: request.method === 'POST' ? await formOf(request) : undefined,
  }
}

/** The fields of a form or a flat JSON object. Empty for anything else, which next-auth then rejects. */
async function formOf(request: Request): Promise<Record<string, string>> {
  const text = new TextDecoder().decode(await readBody(request, MAX_BODY_BYTES))
  if (!request.headers.get('content-type')?.includes('application/json'))
    return Object.fromEntries(new URLSearchParams(text))
  try {
    const entries = Object.entries(JSON.parse(text) ?? {})
    return Object.fromEntries(entries.map(([name, value]) => [name, String(value)]))
  } catch {
    return {}
  }
}
