import type { ServerResponse } from 'node:http'
import { errorResponse } from '../../server/api/http/endpoint.ts'
import { REQUEST_ID_HEADER } from '../../server/api/http/request-info.ts'
import type { AppError } from '../../server/kernel/errors.ts'
import { sendResponse } from './send-response.ts'

/** Sends an error like the JSON endpoints. Cuts off a response that has begun, so that no client considers it complete. */
export async function sendError(
  response: ServerResponse,
  error: AppError,
  headers: Record<string, string> = {},
): Promise<void> {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const requestId = String(response.req.headers[REQUEST_ID_HEADER])
  await sendResponse(errorResponse(error, requestId, { 'cache-control': 'no-store', ...headers }), response)
}
