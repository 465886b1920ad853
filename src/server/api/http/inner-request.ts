import { leaveAddressQueue, setAddressPlace } from '../access/address-place.ts'

/**
 * Returns a request to another route of this server, for a form that a browser has sent without scripts. It has the
 * headers of `request`, and shares its place in the queue of its address.
 */
export function innerRequest(request: Request, url: string, body?: { type: string; text: string }): Request {
  const headers = new Headers(request.headers)
  for (const name of ['content-length', 'content-type', 'transfer-encoding']) headers.delete(name)
  if (body) headers.set('content-type', body.type)
  const inner = new Request(url, {
    method: body ? 'POST' : 'GET',
    headers,
    body: body?.text,
    signal: request.signal,
  })
  setAddressPlace(inner, { leave: (caller) => leaveAddressQueue(request, caller) })
  return inner
}
