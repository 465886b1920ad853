import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import type { NextApiRequest, NextApiResponse } from 'next'
import NextAuthModule from 'next-auth'
import type { Services } from '../../container.ts'
import { INTERNAL_MESSAGE, isAppError } from '../../errors.ts'
import { readCookies } from '../authentication/session-cookie.ts'
import { readBody } from '../body.ts'
import { requestInfo } from '../request-info.ts'
import { callable } from './interop.ts'
import { type AuthCall, authOptionsFor } from './options.ts'
import { ResponseRecorder } from './response-recorder.ts'

const NextAuth = callable(NextAuthModule)

const AUTH_PATH = '/api/auth/'

/** The largest valid body is a form with an email and a password. */
const MAX_BODY_BYTES = 16 * 1024

/**
 * Handles /api/auth/*. Uses next-auth's interface for API routes: the one for route handlers reads cookies and headers
 * from Next's request scope, while this handler is a function of the request, like all others.
 */
export async function handleNextAuth(request: Request, pending: Promise<Services>): Promise<Response> {
  const services = await pending
  const info = requestInfo(request)
  const log = services.log.child({ requestId: info.requestId })
  const call: AuthCall = { ...info, services, log }
  try {
    const incoming = await incomingOf(request)
    // next-auth's browser code sends its log here. Anybody could send any amount, so it is dropped; browsers have a console.
    if (incoming.query.nextauth[0] === '_log') return new Response(null, { status: 204 })
    const recorder = new ResponseRecorder()
    await NextAuth(
      incoming as unknown as NextApiRequest,
      recorder as unknown as NextApiResponse,
      authOptionsFor(call),
    )
    // A server error: next-auth would treat it as an invalid session and remove a valid cookie.
    if (call.failure !== undefined) throw call.failure
    if (call.rejection) {
      // next-auth only knows 401. A form without JavaScript keeps its redirect.
      if (recorder.statusCode === 401) recorder.status(HTTP_STATUS[call.rejection.code])
      recorder.setHeader('retry-after', String(Math.ceil(call.rejection.retryAfterSeconds ?? 1)))
    }
    return recorder.toResponse()
  } catch (error) {
    const known = isAppError(error) ? error : undefined
    if (!known) log.error({ err: error }, 'sign-in failed')
    const code = known?.code ?? 'INTERNAL_SERVER_ERROR'
    return Response.json(
      { error: { code, message: known?.publicMessage ?? INTERNAL_MESSAGE }, requestId: info.requestId },
      { status: HTTP_STATUS[code], headers: { 'cache-control': 'no-store' } },
    )
  }
}

async function incomingOf(request: Request) {
  const url = new URL(request.url)
  const nextauth = url.pathname.slice(AUTH_PATH.length).split('/')
  return {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    cookies: readCookies(request),
    query: { ...Object.fromEntries(url.searchParams), nextauth },
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
