import { readCookies } from '../../access/session-cookie.ts'
import { readBody } from '../body.ts'
import { callbackUrlCookieName } from './cookies.ts'
import { safeRedirectUrl } from './safe-redirect-url.ts'

const AUTH_PATH = '/api/auth/'

/** The largest valid body is a form with an email and a password. */
const MAX_BODY_BYTES = 16 * 1024

/** next-auth's code for any other error. */
const UNKNOWN_ERROR = 'Default'

/**
 * Converts a request to the form that next-auth expects. Replaces callback URLs and error codes that are invalid:
 * anyone can write them into links and cookies, and next-auth would respond with 500 and log an error.
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

/** Returns the fields of a form or a flat JSON object, or none for any other body, which next-auth then rejects. */
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
