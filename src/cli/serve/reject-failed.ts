import type { ServerResponse } from 'node:http'
import { INTERNAL_MESSAGE } from '../../server/errors.ts'

/** Sends the 500 of the JSON endpoints. A response that has begun is broken off instead, so that nobody takes it for whole. */
export function rejectFailed(response: ServerResponse, requestId: string): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  response.writeHead(500, { 'content-type': 'application/json', 'cache-control': 'no-store' })
  response.end(
    JSON.stringify({ error: { code: 'INTERNAL_SERVER_ERROR', message: INTERNAL_MESSAGE }, requestId }),
  )
}
