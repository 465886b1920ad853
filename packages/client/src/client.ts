import { createTRPCClient, httpBatchLink, httpLink, splitLink, type TRPCClient } from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import type { AppRouter } from './router.ts'

export type Client = TRPCClient<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>
export type Outputs = inferRouterOutputs<AppRouter>

export type ClientOptions = {
  /** Where the app is, like https://files.example.com. Default: where the page came from. */
  baseUrl?: string
  /** A session token, asked for at every call; without one the browser's cookie is what counts. */
  token?: () => string | undefined
  fetch?: typeof fetch
}

const PATH = '/api/trpc'
/** Keeps a batch's GET below what proxies take. */
const MAX_URL_CHARS = 2000

/**
 * The typed client of the server's procedures, for browsers and Node. Short calls of one turn travel
 * together; others alone, since a batch is as slow as its slowest call and as lost as its connection.
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

/** Something between us and the server, or no such server, answered: a proxy's 502 is not a broken network. */
export class ForeignAnswer extends Error {
  readonly status: number
  readonly retryAfter: string | null

  constructor(response: Response) {
    super(`HTTP ${response.status} without JSON`)
    this.name = 'ForeignAnswer'
    this.status = response.status
    this.retryAfter = response.headers.get('retry-after')
  }
}

/** tRPC itself forgets the status of an answer that it cannot read. */
function jsonOnly(send: typeof fetch = fetch): typeof fetch {
  return async (...request) => {
    const response = await send(...request)
    if (response.headers.get('content-type')?.includes('json')) return response
    await response.body?.cancel()
    throw new ForeignAnswer(response)
  }
}
