import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { CALLS_PER_BATCH } from '@pigeonhole/client/limits'
import type { TRPCError } from '@trpc/server'
import { resolveResponse } from '@trpc/server/http'
import { credentialKind } from '../../domain/accounts/credential-kind.ts'
import type { Principal } from '../../domain/accounts/principal.ts'
import { type AppError, isAppError } from '../../kernel/errors.ts'
import { invalidFields } from '../../kernel/validation.ts'
import { leaveAddressQueue } from '../access/address-place.ts'
import { bearerToken } from '../access/credentials.ts'
import { MAX_BODY_BYTES, readBody } from '../http/body.ts'
import { jsonResponse } from '../http/json-response.ts'
import { requestInfo } from '../http/request-info.ts'
import type { Services } from '../services.ts'
import type { Context } from './init.ts'
import { appRouter } from './router.ts'

const TRPC_PATH = '/api/trpc'
/** Query parameters that tRPC reads. */
const PARAMETERS = new Set(['batch', 'input'])

/** Handles tRPC requests. */
export async function handleTrpc(request: Request, pending: Promise<Services>): Promise<Response> {
  const services = await pending
  const info = requestInfo(request)
  const log = () => services.log.child({ requestId: info.requestId })
  let user: Promise<Principal | null> | undefined
  const context: Omit<Context, 'batch'> = {
    ...info,
    services,
    log,
    bearerKind: credentialKind(bearerToken(request) ?? ''),
    leaveQueue: (caller) => leaveAddressQueue(request, caller),
    user: () => (user ??= services.authenticate(request)),
  }
  const wrongParameters = unknownParameters(request.url)
  if (wrongParameters) return rejection(wrongParameters, -32600, info.requestId)
  let bounded: Request
  try {
    bounded = await withBoundedBody(request)
  } catch (error) {
    if (!isAppError(error)) throw error
    return rejection(error, -32013, info.requestId)
  }
  // tRPC's fetch adapter would parse the URL once more and copy all headers and options: 5 µs.
  return resolveResponse({
    req: bounded,
    path: new URL(request.url).pathname.slice(TRPC_PATH.length).replace(/^\/|\/$/g, ''),
    error: null,
    router: appRouter,
    // So that no request uses CPU and memory without limit.
    maxBatchSize: CALLS_PER_BATCH,
    createContext: async ({ info: { calls } }): Promise<Context> => ({
      ...context,
      batch: { calls: calls.length, responseBytes: 0 },
    }),
    responseMeta: ({ errors }) => ({ headers: headersFor(errors) }),
    onError: ({ error, path }) => {
      if (error.code === 'INTERNAL_SERVER_ERROR')
        log().error({ err: error.cause ?? error, path }, 'procedure failed')
      else if (isAppError(error.cause) && error.cause.cause !== undefined)
        log().warn({ err: error.cause.cause, path, code: error.cause.code }, 'procedure rejected')
    },
  })
}

/** Sets `Retry-After` to the longest wait that any call of the batch needs. */
function headersFor(errors: TRPCError[]): Headers {
  const headers = new Headers({ 'cache-control': 'no-store' })
  const waits = errors.flatMap(({ cause }) => (isAppError(cause) ? (cause.retryAfterSeconds ?? []) : []))
  if (waits.length > 0) headers.set('retry-after', String(Math.max(1, Math.ceil(Math.max(...waits)))))
  return headers
}

/**
 * Limits the body's size, because tRPC buffers bodies of any size. If a length is declared, the HTTP server enforces
 * it, so the request is returned unchanged: creating another one costs 10 µs.
 */
async function withBoundedBody(request: Request): Promise<Request> {
  if (request.method === 'GET' || request.method === 'HEAD') return request
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) <= MAX_BODY_BYTES) return request
  return new Request(request.url, {
    method: request.method,
    headers: request.headers,
    body: await readBody(request, MAX_BODY_BYTES),
    signal: request.signal,
  })
}

/**
 * Returns an error for query parameters that tRPC would ignore, or undefined. Some generated clients send `?limit=1`
 * instead of `?input={"limit":1}`.
 */
function unknownParameters(url: string): AppError | undefined {
  const at = url.indexOf('?')
  if (at < 0) return undefined
  const names = [...new URLSearchParams(url.slice(at + 1)).keys()].filter((name) => !PARAMETERS.has(name))
  if (names.length === 0) return undefined
  const problem = 'is not a query parameter: send the input as URL-encoded JSON in ?input='
  return invalidFields(
    Object.fromEntries(names.slice(0, 20).map((name) => [name.slice(0, 64).toWellFormed(), [problem]])),
  )
}

/** Returns an error in tRPC's envelope. `rpcCode`: tRPC's JSON-RPC code for it. */
function rejection(
  { code, publicMessage: message, fieldErrors }: AppError,
  rpcCode: number,
  requestId: string,
): Response {
  const httpStatus = HTTP_STATUS[code]
  return jsonResponse(
    { error: { message, code: rpcCode, data: { code, httpStatus, requestId, fieldErrors } } },
    { status: httpStatus, headers: {} },
  )
}
