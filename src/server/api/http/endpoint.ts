import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { FastResponse } from 'srvx'
import { AppError, INTERNAL_MESSAGE, isAppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import { leaveAddressQueue } from '../access/address-place.ts'
import type { Services } from '../services.ts'
import { jsonResponse } from './json-response.ts'
import { type RequestInfo, requestInfo } from './request-info.ts'

export type Call = RequestInfo & {
  request: Request
  services: Services
  log: Logger
  /** Leaves the queue of the address, because the caller is known or counted. */
  leaveQueue(caller?: 'unknown'): void
  /** Headers of every response, errors included. A handler can add to them. */
  headers: Record<string, string>
}

/** A handler's result: a status and a JSON body, other content (a page, an image), or neither (204). */
export type Result = {
  status: number
  body?: unknown
  content?: { type: string; data: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array<ArrayBuffer>> }
  headers?: Record<string, string>
}

/** The database pool gives up failed connections within this time. */
const DATABASE_RETRY_SECONDS = 5

/**
 * Runs the handler of a JSON endpoint. Converts what it throws to `{ error: { code, message, fieldErrors?, reason? }, requestId }`
 * with the status of the code.
 */
export async function endpoint(
  request: Request,
  services: Services | Promise<Services>,
  handle: (call: Call) => Promise<Result>,
): Promise<Response> {
  const info = requestInfo(request)
  const resolved = await services
  const log = resolved.log.child({ requestId: info.requestId })
  const common: Record<string, string> = { 'cache-control': 'no-store' }
  try {
    const { status, body, content, ...result } = await handle({
      ...info,
      request,
      services: resolved,
      log,
      leaveQueue: (caller) => leaveAddressQueue(request, caller),
      headers: common,
    })
    const headers = { ...common, ...result.headers }
    if (content)
      return new FastResponse(content.data, { status, headers: { ...headers, 'content-type': content.type } })
    return body === undefined
      ? new FastResponse(null, { status, headers })
      : jsonResponse(body, { status, headers })
  } catch (thrown) {
    const error =
      !isAppError(thrown) && resolved.isDatabaseUnavailable(thrown) ? databaseUnavailable(thrown) : thrown
    if (!isAppError(error)) {
      log.error({ err: error }, 'unexpected error')
      return errorResponse(internalError(), info.requestId, common)
    }
    if (error.cause !== undefined) log.warn({ err: error.cause, code: error.code }, 'request failed')
    return errorResponse(error, info.requestId, common)
  }
}

export const internalError = () => new AppError('INTERNAL_SERVER_ERROR', INTERNAL_MESSAGE)

function databaseUnavailable(cause: unknown): AppError {
  const message = 'The service cannot reach its database at the moment. Try again in a few seconds.'
  return new AppError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: DATABASE_RETRY_SECONDS, cause })
}

/** Returns the error envelope with the status of the error's code. */
export function errorResponse(error: AppError, requestId: string, common: Record<string, string>): Response {
  const headers = { ...common }
  if (error.code === 'UNAUTHORIZED') headers['www-authenticate'] = 'Bearer'
  if (error.retryAfterSeconds !== undefined)
    headers['retry-after'] = String(Math.max(1, Math.ceil(error.retryAfterSeconds)))
  const { code, publicMessage: message, fieldErrors } = error
  const { reason } = error.data
  // JSON omits `fieldErrors` and `reason` if they are undefined.
  return jsonResponse(
    { error: { code, message, fieldErrors, reason }, requestId },
    { status: HTTP_STATUS[code], headers },
  )
}
