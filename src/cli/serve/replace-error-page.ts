import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'

/** Headers of a body that is not sent. */
const BODY_HEADERS = [
  'content-encoding',
  'content-length',
  'transfer-encoding',
  'etag',
  'link',
  'x-powered-by',
]

type Callback = (error?: Error | null) => void

/**
 * Sends `page()` instead of an HTML page with a status of 500 or more. Next would send an empty page that needs all of
 * its scripts to show that something went wrong. Only replaces documents: navigation inside the app fetches data.
 */
export function replaceErrorPage(response: ServerResponse, page: () => string): void {
  const { writeHead, write, end } = response
  let isReplaced = false

  response.writeHead = ((status: number, ...rest: unknown[]) => {
    const headers = rest.find((one) => typeof one === 'object') as OutgoingHttpHeaders | undefined
    const type = String(headers?.['content-type'] ?? response.getHeader('content-type') ?? '')
    if (isReplaced || status < 500 || !type.startsWith('text/html'))
      return Reflect.apply(writeHead, response, [status, ...rest])
    isReplaced = true
    for (const name of BODY_HEADERS) response.removeHeader(name)
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.setHeader('cache-control', 'no-store')
    response.statusCode = status
    return Reflect.apply(end, response, [page()])
  }) as ServerResponse['writeHead']

  response.write = ((...args: unknown[]) => {
    if (!response.headersSent) response.writeHead(response.statusCode)
    if (!isReplaced) return Reflect.apply(write, response, args)
    callbackOf(args)?.()
    return true
  }) as ServerResponse['write']

  response.end = ((...args: unknown[]) => {
    if (!response.headersSent) response.writeHead(response.statusCode)
    if (!isReplaced) return Reflect.apply(end, response, args)
    callbackOf(args)?.()
    return response
  }) as ServerResponse['end']
}

const callbackOf = (args: unknown[]) => args.find((one): one is Callback => typeof one === 'function')
