import { type ErrorCode, HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { CALLS_PER_BATCH } from '@pigeonhole/client/limits'
import { initTRPC, TRPCError } from '@trpc/server'
import { ZodError, z } from 'zod'
import type { credentialKind } from '../../domain/accounts/credential-kind.ts'
import type { ApiKeyUser, Principal, UserTokenUser } from '../../domain/accounts/principal.ts'
import { requireRecentSignIn } from '../../domain/accounts/recent-sign-in.ts'
import { API_KEY_SCOPES, type UserTokenScope } from '../../domain/accounts/schema.ts'
import { AppError, isAppError } from '../../kernel/errors.ts'
import type { Logger } from '../../kernel/log.ts'
import { inputError } from '../../kernel/validation.ts'
import { apiKeyNotAccepted, passkeyFirst, signInFirst, userTokenNotAccepted } from '../access/credentials.ts'
import { internalError } from '../http/endpoint.ts'
import type { RequestInfo } from '../http/request-info.ts'
import type { Services } from '../services.ts'
import { callProcedure } from './call-procedure.ts'

export type Context = RequestInfo & {
  services: Services
  /** Returns a log with the request's ID. A function, because creating it takes 5 µs and few calls need it. */
  log(): Logger
  /** The signed-in user, looked up at most once per request; null without a valid session. */
  user(): Promise<Principal | null>
  /** Leaves the queue of the address, because the caller is known or counted. */
  leaveQueue(caller?: 'unknown'): void
  /** Kind of the request's bearer token, valid or not. */
  bearerKind: ReturnType<typeof credentialKind>
  /** Number of calls in the request, and total size of its query responses so far. */
  batch: { calls: number; responseBytes: number }
}

/**
 * Maximum total size of the query responses in one batch. Mutations need no limit: 20 of the largest response,
 * `getPartUrls` with 100 parts, take 1 MB.
 */
const MAX_BATCH_RESPONSE_BYTES = 4 * 1024 * 1024

/** tRPC's message for a batch with too many calls. Ours names the limit. */
const TRPC_BATCH_TOO_LARGE = 'Batch call exceeds maximum size'

export type ProcedureMeta = {
  /** Purpose in one sentence, for the OpenAPI document. */
  summary?: string
  /** True if the procedure needs no credential. */
  public?: true
  /**
   * Scope that an API key or user token needs; `any` accepts each of them. Without this field, neither is accepted. API
   * keys do not have all scopes.
   */
  scope?: UserTokenScope | 'any'
  /** True if the call waits only in the queue for password hashing, which rejects attempts over a limit at once. */
  hashesPassword?: true
  /** True if administrators can call the procedure before they have signed in with a passkey. */
  withoutPasskey?: true
}

const t = initTRPC
  .context<Context>()
  .meta<ProcedureMeta>()
  .create({
    // Plain JSON without a transformer, so that curl can call procedures.
    errorFormatter({ shape, error, ctx }) {
      const base = { path: shape.data.path, requestId: ctx?.requestId }
      const appError = toAppError(error)
      if (appError)
        return {
          ...shape,
          message: appError.publicMessage,
          data: {
            ...base,
            ...appError.data,
            code: appError.code as string,
            httpStatus: HTTP_STATUS[appError.code] as number,
            fieldErrors: appError.fieldErrors,
            ...(appError.retryAfterSeconds !== undefined && {
              retryAfterSeconds: Math.max(1, Math.ceil(appError.retryAfterSeconds)),
            }),
          },
        }
      const isTooLarge = error.message === TRPC_BATCH_TOO_LARGE
      return {
        ...shape,
        message: isTooLarge
          ? `A batch can have at most ${CALLS_PER_BATCH} calls. Send the others in another request: set maxItems of httpBatchLink to ${CALLS_PER_BATCH}.`
          : shape.message,
        data: {
          ...base,
          code: shape.data.code as string,
          httpStatus: shape.data.httpStatus,
          fieldErrors: undefined,
        },
      }
    },
  })

/** Returns undefined for errors of tRPC itself, such as malformed JSON. */
function toAppError({ code, cause }: TRPCError): AppError | undefined {
  if (isAppError(cause)) return cause
  if (code === 'BAD_REQUEST' && cause instanceof ZodError) return inputError(cause)
  return code === 'INTERNAL_SERVER_ERROR' ? internalError() : undefined
}

/** Returns tRPC's code with the same HTTP status: tRPC derives the status from its own codes. */
function trpcCode(code: ErrorCode): TRPCError['code'] {
  if (code === 'METHOD_NOT_ALLOWED') return 'METHOD_NOT_SUPPORTED'
  return code === 'QUOTA_EXCEEDED' ? 'PAYLOAD_TOO_LARGE' : code
}

/**
 * Measures each call, converts AppError to TRPCError, and rejects a query whose response exceeds the batch's limit.
 * It is one middleware, because each middleware costs 6 µs per call. It runs for existing procedures only, so the
 * metric's label has a bounded set of values.
 */
const finishCall = t.middleware(async ({ ctx, path, type, next }) => {
  const startedAt = performance.now()
  const { trace } = ctx.services
  const result = await (trace ? trace.step(path, next) : next())
  const error = result.ok ? checkBatchSize(ctx.batch, type, result.data) : result.error.cause
  const appError = isAppError(error) ? error : undefined
  const code = appError?.code ?? (result.ok ? 'OK' : result.error.code)
  ctx.services.metrics.onProcedure(path, code, (performance.now() - startedAt) / 1000)
  if (appError) throw new TRPCError({ code: trpcCode(appError.code), cause: appError })
  return result
})

/** Rejects queries only: a mutation has already changed something. */
function checkBatchSize(batch: Context['batch'], type: string, response: unknown): AppError | undefined {
  if (batch.calls === 1 || type !== 'query') return undefined
  batch.responseBytes += Buffer.byteLength(JSON.stringify(response))
  if (batch.responseBytes <= MAX_BATCH_RESPONSE_BYTES) return undefined
  return new AppError(
    'BAD_REQUEST',
    `The responses of this batch exceed ${MAX_BATCH_RESPONSE_BYTES} bytes. Send this call in another request.`,
  )
}

/** Counts calls by address, for procedures that need no session. */
const limitByAddress = t.middleware(async ({ ctx, meta, next, signal }) => {
  const { countCall, inTurn } = ctx.services
  const caller = `address:${ctx.address}`
  ctx.leaveQueue('unknown')
  countCall(caller)
  if (ctx.bearerKind === 'apiKey' && !isForApiKeys(meta?.scope)) throw apiKeyNotAccepted()
  if (ctx.bearerKind === 'userToken' && meta?.scope === undefined) throw userTokenNotAccepted()
  return meta?.hashesPassword ? next() : inTurn(caller, () => next(), signal)
})

const requireUser = t.middleware(async ({ ctx, meta, next, signal }) => {
  const countByAddress = () => {
    ctx.leaveQueue('unknown')
    ctx.services.countCall(`address:${ctx.address}`)
  }
  const user = await ctx.user().catch((error: unknown) => {
    countByAddress()
    throw error
  })
  if (user) {
    ctx.leaveQueue()
    ctx.services.countCall(`user:${user.id}`)
  } else {
    countByAddress()
    throw signInFirst()
  }
  if (user.via === 'apiKey' || user.via === 'userToken') checkScope(user, meta?.scope)
  if (user.via === 'session' && user.needsPasskey && !meta?.withoutPasskey) throw passkeyFirst()
  return ctx.services.inTurn(`user:${user.id}`, () => next({ ctx: { user } }), signal)
})

function checkScope({ via, scopes }: ApiKeyUser | UserTokenUser, needed: ProcedureMeta['scope']): void {
  if (via === 'apiKey' && !isForApiKeys(needed)) throw apiKeyNotAccepted()
  if (needed === undefined) throw userTokenNotAccepted()
  if (needed !== 'any' && !(scopes as readonly string[]).includes(needed))
    throw new AppError(
      'FORBIDDEN',
      `This ${via === 'apiKey' ? 'API key' : 'user token'} lacks the scope ${needed}. Create one that has it; this one has ${scopes.join(', ')}.`,
    )
}

const isForApiKeys = (scope: ProcedureMeta['scope']) =>
  scope === 'any' || (API_KEY_SCOPES as readonly unknown[]).includes(scope)

export const router = t.router

/** Output of mutations that return nothing else. */
export const success = z.object({ success: z.literal(true) })

export async function succeed(work: Promise<unknown>): Promise<z.output<typeof success>> {
  await work
  return { success: true }
}

/** Adds `success` to a result. */
export const succeedWith = async <T extends object>(work: Promise<T>) => ({
  success: true as const,
  ...(await work),
})

// The types of `experimental_caller` are those of Next's server actions, whose procedures are plain functions.
const ownCaller = t.procedure.experimental_caller(callProcedure) as unknown as typeof t.procedure
const procedure = ownCaller.use(finishCall)

// Kinds of procedures. `summary`: purpose in one sentence, for the OpenAPI document.

export const publicProcedure = (summary: string) =>
  procedure.meta({ summary, public: true }).use(limitByAddress)
/** Like `publicProcedure`, for procedures that hash a password. */
export const passwordProcedure = (summary: string) => publicProcedure(summary).meta({ hashesPassword: true })
/** For users, with any credential that identifies one. */
export const userProcedure = (summary: string) => procedure.meta({ summary }).use(requireUser)
/** Like `userProcedure`, and accepts API keys and user tokens with this scope. */
export const scopedProcedure = (scope: UserTokenScope, summary: string) =>
  userProcedure(summary).meta({ scope })
/**
 * Like `userProcedure`, for calls that store something permanently. If this service sends email, the user must have
 * verified theirs: invented addresses store nothing.
 */
export const verifiedProcedure = (summary: string) =>
  userProcedure(summary).use(async ({ ctx, next }) => {
    await ctx.services.emailLinks.requireVerified(ctx.user.id)
    return next()
  })
/** For actions that users must request themselves, with a session or an external issuer's token, not an API key. */
export const ownerProcedure = (summary: string) =>
  userProcedure(summary).use(async ({ ctx, next }) => {
    const { user } = ctx
    if (user.via === 'apiKey') throw apiKeyNotAccepted()
    if (user.via === 'userToken') throw userTokenNotAccepted()
    return next({ ctx: { user } })
  })
/** Like `ownerProcedure` and `verifiedProcedure`, for calls that create access which outlives the session. */
export const recentSignInProcedure = (summary: string) =>
  ownerProcedure(summary).use(async ({ ctx, next }) => {
    const { services, user } = ctx
    await services.emailLinks.requireVerified(user.id)
    requireRecentSignIn(user, services.clock.now())
    return next()
  })
/** For passwords and sessions, which only accounts with a sign-in at this service have. */
export const sessionProcedure = (summary: string) =>
  userProcedure(summary).use(async ({ ctx, next }) => {
    const { user } = ctx
    if (user.via !== 'session')
      throw new AppError(
        'FORBIDDEN',
        'This call needs a session of this service. If an external issuer signs you in, sign in and out and change your password there.',
      )
    return next({ ctx: { user } })
  })
