import { type ErrorCode, HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { initTRPC, TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import type { SessionUser } from '../auth/ports.ts'
import type { Services } from '../container.ts'
import { AppError, INTERNAL_MESSAGE, isAppError } from '../errors.ts'
import type { RequestInfo } from '../http/request-info.ts'
import type { Log } from '../telemetry/log.ts'
import { fieldErrorsOf, summaryOf } from '../validation.ts'

export type Context = RequestInfo & {
  services: Services
  log: Log
  /** The signed-in user, looked up at most once per request; null without a valid session. */
  user(): Promise<SessionUser | null>
  /** How many calls the request has, and how large the answers of its queries are so far. */
  batch: { calls: number; answerBytes: number }
}

/** More calls in one request are refused: they would share its CPU and memory with no limit. */
export const MAX_BATCH_CALLS = 20

/**
 * What the queries of one batch may answer together. Mutations have small answers: 20 of the largest, `getPartUrls`
 * with 100 parts, have 1 MB.
 */
export const MAX_BATCH_ANSWER_BYTES = 4 * 1024 * 1024

/** tRPC's words for a batch that is too large; ours say the limit. */
const TRPC_BATCH_TOO_LARGE = 'Batch call exceeds maximum size'

const t = initTRPC.context<Context>().create({
  // Plain JSON without a transformer, so that curl can be a client too.
  errorFormatter({ shape, error, ctx }) {
    const cause = error.cause
    const base = { path: shape.data.path, requestId: ctx?.requestId }
    if (isAppError(cause))
      return {
        ...shape,
        message: cause.publicMessage,
        data: {
          ...base,
          ...cause.data,
          code: cause.code as string,
          httpStatus: HTTP_STATUS[cause.code] as number,
          fieldErrors: cause.fieldErrors,
          ...(cause.retryAfterSeconds !== undefined && {
            retryAfterSeconds: Math.max(1, Math.ceil(cause.retryAfterSeconds)),
          }),
        },
      }
    if (error.code === 'BAD_REQUEST' && cause instanceof ZodError) {
      const fieldErrors = fieldErrorsOf(cause)
      return {
        ...shape,
        message: summaryOf(fieldErrors),
        data: { ...base, code: 'BAD_REQUEST', httpStatus: 400, fieldErrors },
      }
    }
    if (error.code === 'INTERNAL_SERVER_ERROR')
      return {
        ...shape,
        message: INTERNAL_MESSAGE,
        data: { ...base, code: 'INTERNAL_SERVER_ERROR', httpStatus: 500, fieldErrors: undefined },
      }
    return {
      ...shape,
      ...(error.message === TRPC_BATCH_TOO_LARGE && {
        message: `A batch has at most ${MAX_BATCH_CALLS} calls. Send the others in another request.`,
      }),
      data: {
        ...base,
        code: shape.data.code as string,
        httpStatus: shape.data.httpStatus,
        fieldErrors: undefined,
      },
    }
  },
})

/** The tRPC code with the same HTTP status as ours, since tRPC derives the status from its own codes. */
const TRPC_CODE: Record<ErrorCode, TRPCError['code']> = {
  BAD_REQUEST: 'BAD_REQUEST',
  UNAUTHORIZED: 'UNAUTHORIZED',
  FORBIDDEN: 'FORBIDDEN',
  NOT_FOUND: 'NOT_FOUND',
  METHOD_NOT_ALLOWED: 'METHOD_NOT_SUPPORTED',
  CONFLICT: 'CONFLICT',
  QUOTA_EXCEEDED: 'PAYLOAD_TOO_LARGE',
  PAYLOAD_TOO_LARGE: 'PAYLOAD_TOO_LARGE',
  TOO_MANY_REQUESTS: 'TOO_MANY_REQUESTS',
  INTERNAL_SERVER_ERROR: 'INTERNAL_SERVER_ERROR',
  SERVICE_UNAVAILABLE: 'SERVICE_UNAVAILABLE',
}

/** Runs for existing procedures only, so the metric's label has a bounded set of values. */
const measure = t.middleware(async ({ ctx, path, next }) => {
  const startedAt = performance.now()
  const result = await next()
  const seconds = (performance.now() - startedAt) / 1000
  ctx.services.metrics.onProcedure(path, result.ok ? 'OK' : codeOf(result.error), seconds)
  return result
})

function codeOf(error: TRPCError): string {
  return isAppError(error.cause) ? error.cause.code : error.code
}

/** Turns the domains' AppError into a TRPCError; the domains do not know tRPC. */
const translateErrors = t.middleware(async ({ next }) => {
  const result = await next()
  if (!result.ok && isAppError(result.error.cause))
    throw new TRPCError({ code: TRPC_CODE[result.error.cause.code], cause: result.error.cause })
  return result
})

/** A call of a batch that no longer fits into its answer is refused; calls that change something are not. */
const boundBatch = t.middleware(async ({ ctx: { batch }, type, next }) => {
  const result = await next()
  if (!result.ok || batch.calls === 1 || type !== 'query') return result
  batch.answerBytes += Buffer.byteLength(JSON.stringify(result.data))
  if (batch.answerBytes > MAX_BATCH_ANSWER_BYTES)
    throw new AppError(
      'BAD_REQUEST',
      `The answers of this batch have more than ${MAX_BATCH_ANSWER_BYTES} bytes. Send this call in another request.`,
    )
  return result
})

/** For procedures without a session; the others count by user. */
const limitByAddress = t.middleware(async ({ ctx, next }) => {
  ctx.services.countCall(`address:${ctx.address}`)
  return next()
})

const requireUser = t.middleware(async ({ ctx, next }) => {
  const user = await ctx.user()
  ctx.services.countCall(user ? `user:${user.id}` : `address:${ctx.address}`)
  if (!user)
    throw new AppError(
      'UNAUTHORIZED',
      'Sign in first: send the session cookie or "Authorization: Bearer <session token>".',
    )
  return next({ ctx: { ...ctx, user } })
})

export const router = t.router
const procedure = t.procedure.use(measure).use(translateErrors).use(boundBatch)
export const publicProcedure = procedure.use(limitByAddress)
export const userProcedure = procedure.use(requireUser)
