import { CALLS_PER_BATCH } from '@pigeonhole/client/limits'
import type { TRPCError } from '@trpc/server'
import { fetchRequestHandler } from '@trpc/server/adapters/fetch'
import { credentialKind } from '../../domain/accounts/credential-kind.ts'
import type { Principal } from '../../domain/accounts/principal.ts'
import { isAppError } from '../../kernel/errors.ts'
import { leaveAddressQueue } from '../access/address-place.ts'
import { bearerToken } from '../access/credentials.ts'
import { MAX_BODY_BYTES, readBody } from '../http/body.ts'
import { requestInfo } from '../http/request-info.ts'
import type { Services } from '../services.ts'
import type { Context } from './init.ts'
import { appRouter } from './router.ts'

const TRPC_PATH = '/api/trpc'

/** Handles tRPC requests. */
export async function handleTrpc(request: Request, pending: Promise<Services>): Promise<Response> {
  const services = await pending
  const info = requestInfo(request)
  const log = services.log.child({ requestId: info.requestId })
  let user: Promise<Principal | null> | undefined
  const context = {
    ...info,
    services,
    log,
    bearerKind: credentialKind(bearerToken(request) ?? ''),
    leaveQueue: () => leaveAddressQueue(request),
    user: () => (user ??= services.authenticate(request)),
  }
  let bounded: Request
  try {
    bounded = await withBoundedBody(request)
  } catch (error) {
    if (!isAppError(error)) throw error
    return tooLarge(error.publicMessage, info.requestId)
  }
  return fetchRequestHandler({
    endpoint: TRPC_PATH,
    req: bounded,
    router: appRouter,
    // So that no request uses CPU and memory without limit.
    maxBatchSize: CALLS_PER_BATCH,
    createContext: ({ info: { calls } }): Context => ({
      ...context,
      batch: { calls: calls.length, responseBytes: 0 },
    }),
    responseMeta: ({ errors }) => ({ headers: headersFor(errors) }),
    onError: ({ error, path }) => {
      if (error.code === 'INTERNAL_SERVER_ERROR')
        log.error({ err: error.cause ?? error, path }, 'procedure failed')
      else if (isAppError(error.cause) && error.cause.cause !== undefined)
        log.warn({ err: error.cause.cause, path, code: error.cause.code }, 'procedure rejected')
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

/** Returns a 413 in tRPC's error envelope; -32013 is its JSON-RPC code for PAYLOAD_TOO_LARGE. */
function tooLarge(message: string, requestId: string): Response {
  return Response.json(
    { error: { message, code: -32013, data: { code: 'PAYLOAD_TOO_LARGE', httpStatus: 413, requestId } } },
    { status: 413 },
  )
}
