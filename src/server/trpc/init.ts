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
}

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

const requireUser = t.middleware(async ({ ctx, next }) => {
  const user = await ctx.user()
  if (!user)
    throw new AppError(
      'UNAUTHORIZED',
      'Sign in first: send the session cookie or "Authorization: Bearer <session token>".',
    )
  return next({ ctx: { ...ctx, user } })
})

export const router = t.router
export const publicProcedure = t.procedure.use(measure).use(translateErrors)
export const userProcedure = publicProcedure.use(requireUser)
