import {
  createTRPCClient,
  httpBatchLink,
  httpLink,
  splitLink,
  type TRPCClient,
  type TRPCLink,
} from '@trpc/client'
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server'
import { CALLS_PER_BATCH } from './limits.ts'
import type { AppRouter } from './router.ts'
import { createTokenSource, type TokenFunction, type TokenSource } from './token-source.ts'

export type Client = TRPCClient<AppRouter>
export type Inputs = inferRouterInputs<AppRouter>
export type Outputs = inferRouterOutputs<AppRouter>

export type ClientOptions = {
  /** Address of the server, such as https://files.example.com. Default: the page's origin. */
  baseUrl?: string
  /**
   * Returns the token to send: a session token or, from your backend, a user token. A function that returns a promise is
   * called only if there is no token, the last one expires within 30 seconds, or the server rejected it. Default: the
   * browser's cookie.
   */
  token?: TokenFunction
  fetch?: typeof fetch
}

const PATH = '/api/trpc'
/** Keeps the URL of a batch below the limits of proxies. */
const MAX_URL_CHARS = 2000

/** Creates the typed client of the server's procedures, for browsers and Node. */
export function createClient(options: ClientOptions = {}): Client {
  return createTRPCClient<AppRouter>({ links: [createLink(options)] })
}

/**
 * Creates the link of `createClient`, for a tRPC client of your own. Batches short calls made in one tick, up to the
 * server's maximum. Does not batch others, because a batch is as slow as its slowest call and fails as a whole.
 */
export function createLink(options: ClientOptions = {}): TRPCLink<AppRouter> {
  const { baseUrl = '', token } = options
  const link = {
    url: `${baseUrl.replace(/\/+$/, '')}${PATH}`,
    fetch: jsonOnly(token ? withToken(createTokenSource(token), options.fetch) : options.fetch),
  }
  return splitLink({
    condition: ({ type, path }) =>
      path === 'upload.completePart' || (type === 'query' && path !== 'upload.status'),
    true: httpBatchLink({ ...link, maxURLLength: MAX_URL_CHARS, maxItems: CALLS_PER_BATCH }),
    false: httpLink(link),
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

/** Sends the token with each request, and repeats a request once whose token the server rejected. */
function withToken(tokens: TokenSource, send: typeof fetch = fetch): typeof fetch {
  const sendWith = (token: string | undefined, [input, init]: Parameters<typeof fetch>) => {
    if (token === undefined) return send(input, init)
    const headers = new Headers(init?.headers)
    headers.set('authorization', `Bearer ${token}`)
    return send(input, { ...init, headers })
  }
  return async (...request) => {
    const token = await tokens.get()
    const response = await sendWith(token, request)
    if (token === undefined || !(await isRejected(response))) return response
    const next = await tokens.replace(token)
    if (next === undefined) return response
    await response.body?.cancel()
    return sendWith(next, request)
  }
}

/** Returns true if the server rejected the token of a call, or of some calls of a batch (207). */
async function isRejected(response: Response): Promise<boolean> {
  if (response.status !== 207) return response.status === 401
  const results = (await response.clone().json()) as { error?: { data?: { code?: string } } }[]
  return results.some(({ error }) => error?.data?.code === 'UNAUTHORIZED')
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
