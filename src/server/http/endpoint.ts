import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import type { Services } from '../container.ts'
import { AppError, INTERNAL_MESSAGE, isAppError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { type RequestInfo, requestInfo } from './request-info.ts'

export type Call = RequestInfo & {
  request: Request
  services: Services
  log: Logger
  /** Sent with every response, errors included. */
  headers: Record<string, string>
}

/** A handler's result: a status and a JSON body, other content (a page, a picture), or no body (204). */
export type Answer = {
  status: number
  body?: unknown
  content?: { type: string; data: string | Uint8Array<ArrayBuffer> }
  headers?: Record<string, string>
}

/** Our own failed connections are given up within this time. */
const DATABASE_RETRY_SECONDS = 5

/**
 * Runs the handler of a JSON endpoint. Turns what it throws into `{ error: { code, message, fieldErrors? }, requestId }`
 * with the status of the code.
 */
export async function endpoint(
  request: Request,
  services: Services | Promise<Services>,
  handle: (call: Call) => Promise<Answer>,
): Promise<Response> {
  const info = requestInfo(request)
  const resolved = await services
  const log = resolved.log.child({ requestId: info.requestId })
  const common: Record<string, string> = { 'cache-control': 'no-store' }
  try {
    const answer = await handle({ ...info, request, services: resolved, log, headers: common })
    const headers = { ...common, ...answer.headers }
    if (answer.content)
      return new Response(answer.content.data, {
        status: answer.status,
        headers: { ...headers, 'content-type': answer.content.type },
      })
    return answer.body === undefined
      ? new Response(null, { status: answer.status, headers })
      : Response.json(answer.body, { status: answer.status, headers })
  } catch (thrown) {
    const error =
      !isAppError(thrown) && resolved.isDatabaseUnavailable(thrown) ? databaseUnavailable(thrown) : thrown
    if (isAppError(error)) {
      if (error.cause !== undefined) log.warn({ err: error.cause, code: error.code }, 'request failed')
      return errorResponse(error, info.requestId, common)
    }
    log.error({ err: error }, 'unexpected error')
    return Response.json(
      { error: { code: 'INTERNAL_SERVER_ERROR', message: INTERNAL_MESSAGE }, requestId: info.requestId },
      { status: 500, headers: common },
    )
  }
}

function databaseUnavailable(cause: unknown): AppError {
  const message = 'The service cannot reach its database at the moment. Try again in a few seconds.'
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: DATABASE_RETRY_SECONDS, cause })
}

/** The error envelope with the status of its code. */
export function errorResponse(error: AppError, requestId: string, common: Record<string, string>): Response {
  const headers = { ...common }
  if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer'
  if (error.retryAfterSeconds !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds)))
  const body = {
    error: {
      code: error.code,
      message: error.publicMessage,
      ...(error.fieldErrors && { fieldErrors: error.fieldErrors }),
    },
    requestId,
  }
  return Response.json(body, { status: HTTP_STATUS[error.code], headers })
}
