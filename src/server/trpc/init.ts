import { type ErrorCode, HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { initTRPC, TRPCError } from '@trpc/server'
import { ZodError } from 'zod'
import type { Principal } from '../auth/ports.ts'
import type { ApiKeyScope } from '../auth/schema.ts'
import type { Services } from '../container.ts'
import { AppError, INTERNAL_MESSAGE, isAppError } from '../errors.ts'
import type { RequestInfo } from '../http/request-info.ts'
import type { Logger } from '../log.ts'
import { fieldErrorsOf, summaryOf } from '../validation.ts'

export type Context = RequestInfo & {
  services: Services
  log: Logger
  /** The signed-in user, looked up at most once per request; null without a valid session. */
  user(): Promise<Principal | null>
  /** The request came with an API key, valid or not. */
  byApiKey: boolean
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

export type ProcedureMeta = {
  /** Needs no credential. */
  public?: true
  /** What an API key needs to call it; `any`: nothing. Without this no key may. */
  apiKeyScope?: ApiKeyScope | 'any'
  /** Waits in the queue of password hashing, which refuses what is over a limit before it waits, and in no other. */
  hashesPassword?: true
}

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
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

/**
 * Measures each call, turns the domains' AppError into a TRPCError (the domains do not know tRPC), and refuses a call
 * whose answer no longer fits into its batch. One middleware, because each costs 6 µs a call. It runs for
 * existing procedures only, so the metric's label has a bounded set of values.
 */
const finishCall = t.middleware(async ({ ctx, path, type, next }) => {
  const startedAt = performance.now()
  const { trace } = ctx.services
  const result = await (trace ? trace.step(path, next) : next())
  const refusal = result.ok ? batchOverflow(ctx.batch, type, result.data) : appErrorOf(result.error)
  const code = refusal?.code ?? (result.ok ? 'OK' : result.error.code)
  ctx.services.metrics.onProcedure(path, code, (performance.now() - startedAt) / 1000)
  if (refusal) throw new TRPCError({ code: TRPC_CODE[refusal.code], cause: refusal })
  return result
})

function appErrorOf({ cause }: TRPCError): AppError | undefined {
  return isAppError(cause) ? cause : undefined
}

/** Calls that change something are not refused. */
function batchOverflow(batch: Context['batch'], type: string, answer: unknown): AppError | undefined {
  if (batch.calls === 1 || type !== 'query') return undefined
  batch.answerBytes += Buffer.byteLength(JSON.stringify(answer))
  if (batch.answerBytes <= MAX_BATCH_ANSWER_BYTES) return undefined
  return new AppError(
    'BAD_REQUEST',
    `The answers of this batch have more than ${MAX_BATCH_ANSWER_BYTES} bytes. Send this call in another request.`,
  )
}

/** For procedures without a session; the others count by user. */
const limitByAddress = t.middleware(async ({ ctx, meta, next, signal }) => {
  const { countCall, inTurn } = ctx.services
  const caller = `address:${ctx.address}`
  countCall(caller)
  if (ctx.byApiKey && meta?.apiKeyScope === undefined) throw noKeysHere()
  return meta?.hashesPassword ? next() : inTurn(caller, () => next(), signal)
})

const requireUser = t.middleware(async ({ ctx, meta, next, signal }) => {
  const countByAddress = () => ctx.services.countCall(`address:${ctx.address}`)
  const user = await ctx.user().catch((error: unknown) => {
    countByAddress()
    throw error
  })
  if (user) ctx.services.countCall(`user:${user.id}`)
  else {
    countByAddress()
    throw new AppError(
      'UNAUTHORIZED',
      'Sign in first: send the session cookie or "Authorization: Bearer <session token>".',
    )
  }
  if (user.via === 'apiKey') checkScope(user.scopes, meta?.apiKeyScope)
  return ctx.services.inTurn(`user:${user.id}`, () => next({ ctx: { user } }), signal)
})

function checkScope(scopes: readonly ApiKeyScope[], needed: ApiKeyScope | 'any' | undefined): void {
  if (needed === undefined) throw noKeysHere()
  if (needed !== 'any' && !scopes.includes(needed))
    throw new AppError('FORBIDDEN', `This API key lacks the scope ${needed}; it has ${scopes.join(', ')}.`)
}

function noKeysHere(): AppError {
  return new AppError(
    'FORBIDDEN',
    'API keys are accepted on the procedures of their scopes and on /files/* only. Use a session here.',
  )
}

export const router = t.router
const procedure = t.procedure.use(finishCall)
export const publicProcedure = procedure.meta({ public: true }).use(limitByAddress)
/** As `publicProcedure`, for what hashes a password. */
export const passwordProcedure = publicProcedure.meta({ hashesPassword: true })
/** For users, with any credential that stands for one. */
export const userProcedure = procedure.use(requireUser)
/** As `userProcedure`, also for API keys that have the scope. */
export const keyProcedure = (apiKeyScope: ApiKeyScope) => userProcedure.meta({ apiKeyScope })
/** For what the user must ask for in person, with a session or a token of another issuer: no API key. */
export const ownerProcedure = userProcedure.use(async ({ ctx, next }) => {
  const { user } = ctx
  if (user.via === 'apiKey') throw noKeysHere()
  return next({ ctx: { user } })
})
/** For what belongs to a sign-in here: its password and its sessions. */
export const sessionProcedure = userProcedure.use(async ({ ctx, next }) => {
  const { user } = ctx
  if (user.via !== 'session')
    throw new AppError(
      'FORBIDDEN',
      'This needs a session of this service. A token of another issuer stands for a user who signs in, changes the password and signs out over there.',
    )
  return next({ ctx: { user } })
})
