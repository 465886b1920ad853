import { FastResponse } from 'srvx'

/**
 * Returns a JSON response. It keeps the text until `npm start` sends it, so a call costs 0.3 instead of 7 µs: a native
 * Response creates a stream, which the server would then read (decision 042).
 */
export function jsonResponse(
  body: unknown,
  { status = 200, headers }: { status?: number; headers: Record<string, string> },
): Response {
  return new FastResponse(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json' },
  })
}
