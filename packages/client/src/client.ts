import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCClient } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from './router.ts'

export type Client = TRPCClient<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>
export type Outputs = inferRouterOutputs<AppRouter>

export type ClientOptions = {
  /** Address of the server, such as https://files.example.com. Default: the page's origin. */
  baseUrl?: string
  /** Returns the session token; called for every request. Default: the browser's cookie. */
  token?: () => string | undefined
  fetch?: typeof fetch
}

const PATH = '/api/trpc'
/** Keeps the URL of a batch below the limits of proxies. */
const MAX_URL_CHARS = 2000

/**
 * Creates the typed client of the server's procedures, for browsers and Node. Batches short calls made in one tick.
 * Does not batch others, because a batch is as slow as its slowest call and fails as a whole.
 */
export function createClient(options: ClientOptions = {}): Client {
  const { baseUrl = '', token } = options
  const link = {
    url: `${baseUrl.replace(/\/+$/, '')}${PATH}`,
    headers: () => {
      const value = token?.()
      return value ? { authorization: `Bearer ${value}` } : {}
    },
    fetch: jsonOnly(options.fetch),
  }
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type, path }) =>
          path === 'upload.completePart' || (type === 'query' && path !== 'upload.status'),
        true: httpBatchLink({ ...link, maxURLLength: MAX_URL_CHARS, maxItems: 20 }),
        false: httpLink(link),
      }),
    ],
  })
}

/** Response without JSON: from a proxy (a 502 is not a network error), or from an address without this server. */
export class UnexpectedResponseError extends Error {
  readonly status: number
  readonly retryAfter: string | null

  constructor(response: Response) {
    super(`HTTP ${response.status} without JSON`)
    this.name = 'UnexpectedResponseError'
    this.status = response.status
    this.retryAfter = response.headers.get('retry-after')
  }
}

/** Throws for responses that are not JSON, because tRPC drops the status of a response that it cannot parse. */
function jsonOnly(send: typeof fetch = fetch): typeof fetch {
  return async (...request) => {
    const response = await send(...request)
    if (response.headers.get('content-type')?.includes('json')) return response
    await response.body?.cancel()
    throw new UnexpectedResponseError(response)
  }
}
