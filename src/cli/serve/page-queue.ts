import type { IncomingMessage, ServerResponse } from 'node:http'
import { isAppError } from '../../server/errors.ts'
import type { FairSemaphore } from '../../server/fair-semaphore.ts'
import { addressKey } from '../../server/http/address-key.ts'
import { CLIENT_ADDRESS_HEADER } from '../../server/http/request-info.ts'
import { isPage } from '../../server/http/security-headers.ts'

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>

/** Has Next render pages in the queue of calls, by address: a page takes the processor for longer than most calls. */
export function queuePages(handle: Handle, inTurn: FairSemaphore): Handle {
  return async (request, response) => {
    if (!isPage(request.url!.split('?')[0]!)) return handle(request, response)
    const address = addressKey(String(request.headers[CLIENT_ADDRESS_HEADER]))
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    try {
      await inTurn(`address:${address}`, () => handle(request, response), gone.signal)
    } catch (error) {
      if (!isAppError(error) || response.headersSent || response.destroyed) throw error
      response.writeHead(429, {
        'retry-after': '1',
        'cache-control': 'no-store',
        'content-type': 'text/plain',
      })
      response.end(error.publicMessage)
    }
  }
}
