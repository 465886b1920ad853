import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import type { NextApiRequest, NextApiResponse } from 'next'
import NextAuthModule from 'next-auth'
import type { Services } from '../../container.ts'
import { AppError, INTERNAL_MESSAGE, isAppError } from '../../errors.ts'
import { errorResponse } from '../endpoint.ts'
import { requestInfo } from '../request-info.ts'
import { incomingOf } from './incoming.ts'
import { callable } from './interop.ts'
import { type AuthCall, authOptionsFor } from './options.ts'
import { ResponseRecorder } from './response-recorder.ts'

const NextAuth = callable(NextAuthModule)

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
    const incoming = await incomingOf(request, services.config.baseUrl)
    // next-auth's browser code sends its log here. Anybody could send any amount, so it is dropped; browsers have a console.
    if (incoming.query.nextauth[0] === '_log') return new Response(null, { status: 204 })
    if (request.method !== 'POST' && incoming.query.nextauth.join('/') === 'callback/credentials')
      return errorResponse(onlyPost(), info.requestId, { allow: 'POST', 'cache-control': 'no-store' })
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

/** next-auth would answer 500. */
const onlyPost = () =>
  new AppError('METHOD_NOT_ALLOWED', 'Email and password are sent with POST, as the page /signin does.')
