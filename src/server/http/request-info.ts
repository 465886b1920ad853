import { randomUUID } from 'node:crypto'

/** Set by the launcher on every request, after removing what a client may have sent under these names. */
export const REQUEST_ID_HEADER = 'x-request-id'
export const CLIENT_ADDRESS_HEADER = 'x-pigeonhole-address'

export type RequestInfo = {
  /** Ties an answer to the log. */
  requestId: string
  /** The client's IP address, counted from the right of X-Forwarded-For as far as TRUST_PROXY says. */
  address: string
}

export function requestInfo(request: Request): RequestInfo {
  return {
    requestId: request.headers.get(REQUEST_ID_HEADER) ?? randomUUID(),
    address: request.headers.get(CLIENT_ADDRESS_HEADER) ?? 'unknown',
  }
}
