import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import type { NextApiRequest, NextApiResponse } from 'next'
import NextAuthModule from 'next-auth'
import { MAX_EMAIL_LENGTH } from '../../../domain/accounts/schema.ts'
import { AppError, isAppError } from '../../../kernel/errors.ts'
import { isStorable } from '../../../kernel/text.ts'
import { leaveAddressQueue } from '../../access/address-place.ts'
import { readCookies, sessionCookieName } from '../../access/session-cookie.ts'
import type { Services } from '../../services.ts'
import { errorResponse, internalError } from '../endpoint.ts'
import { requestInfo } from '../request-info.ts'
import { browserCookie, browserCookieName, typedEmailCookie } from './cookies.ts'
import { incomingOf } from './incoming.ts'
import { callable } from './interop.ts'
import { type AuthCall, authOptionsFor } from './options.ts'
import { ResponseRecorder } from './response-recorder.ts'

const NextAuth = callable(NextAuthModule)

/**
 * Handles /api/auth/*. Uses next-auth's interface for API routes, because its interface for route handlers reads
 * cookies and headers from Next's request scope. Like all handlers, this one depends only on the request.
 */
export async function handleNextAuth(request: Request, pending: Promise<Services>): Promise<Response> {
  const services = await pending
  const info = requestInfo(request)
  const log = services.log.child({ requestId: info.requestId })
  const cookies = readCookies(request)
  const { baseUrl } = services.config
  const sessionToken = cookies[sessionCookieName(baseUrl)]
  const browserMarks = cookies[browserCookieName(baseUrl)]
  const leaveQueue = () => leaveAddressQueue(request, 'unknown')
  const call: AuthCall = { ...info, services, log, sessionToken, browserMarks, leaveQueue }
  try {
    const incoming = await incomingOf(request, services.config.baseUrl)
    // next-auth's browser code sends its log here. Drop it, because anyone could send any amount.
    if (incoming.query.nextauth[0] === '_log') return new Response(null, { status: 204 })
    if (request.method !== 'POST' && incoming.query.nextauth.join('/') === 'callback/credentials')
      return errorResponse(onlyPost(), info.requestId, { allow: 'POST', 'cache-control': 'no-store' })
    const recorder = new ResponseRecorder()
    await NextAuth(
      incoming as unknown as NextApiRequest,
      recorder as unknown as NextApiResponse,
      authOptionsFor(call),
    )
    // next-auth would treat a server error as an invalid session and remove a valid cookie.
    if (call.failure !== undefined) throw call.failure
    if (call.rejection) {
      // next-auth always responds with 401. A form without JavaScript keeps its redirect.
      if (recorder.statusCode === 401) recorder.status(HTTP_STATUS[call.rejection.code])
      recorder.setHeader('retry-after', String(Math.ceil(call.rejection.retryAfterSeconds ?? 1)))
    }
    const response = recorder.toResponse()
    const email = incoming.body?.email
    if (email && email.length <= MAX_EMAIL_LENGTH && isStorable(email) && isRejectedForm(response))
      response.headers.append('set-cookie', typedEmailCookie(baseUrl, email))
    if (call.signedInId !== undefined) {
      const value = services.knownBrowsers.remember(call.browserMarks, call.signedInId)
      response.headers.append('set-cookie', browserCookie(baseUrl, value))
    }
    return response
  } catch (error) {
    if (!isAppError(error)) log.error({ err: error }, 'sign-in failed')
    const known = isAppError(error) ? error : internalError()
    return errorResponse(known, info.requestId, { 'cache-control': 'no-store' })
  }
}

/** Returns true for a form without JavaScript, which next-auth sends back to the sign-in page. */
function isRejectedForm({ headers }: Response): boolean {
  return /[?&]error=/.test(headers.get('location') ?? '')
}

/** For a request to which next-auth would respond with 500. */
const onlyPost = () => new AppError('METHOD_NOT_ALLOWED', 'Send email and password with POST.')
