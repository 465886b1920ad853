import type { z } from 'zod'
import { requireRecentSignIn } from '../../../domain/accounts/recent-sign-in.ts'
import type { Administrator } from '../../access/admin-access.ts'
import type { Services } from '../../services.ts'
import type { Result } from '../endpoint.ts'
import {
  type Description,
  type OperationCall,
  operation,
  type PathParams,
  type Responses,
  type ResultOf,
} from '../operation.ts'
import { recordCall, type Target } from './record-call.ts'

/**
 * Like `operation`, for administrators and, with `scope`, for server keys. Records every authorized call in the audit
 * log, with its status.
 */
export function adminOperation<
  const Route extends string,
  const R extends Responses,
  Query extends z.ZodObject = never,
  Body extends z.ZodType = never,
  Headers extends z.ZodObject = never,
>({
  target = ({ id }: { id?: string }) => ({ subjectId: id }),
  frequent,
  typed,
  handle,
  ...rest
}: Omit<Description<Route, Query, Headers, Body, R>, 'credentials'> & {
  /** Target of a call, for the audit log. Default: the subject is the path parameter `id`. */
  target?: (params: PathParams<Route>) => Target
  /** True to count identical calls of a server key or the admin secret instead of recording each. */
  frequent?: true
  /**
   * True if pages make these calls while an administrator types, or a function that returns it for a result. The first
   * call is recorded at once; its repeats share one entry.
   */
  typed?: true | ((result: ResultOf<R>) => boolean)
  handle: (
    call: OperationCall<Route, Query, Headers, Body> & { caller: Administrator & { address: string } },
  ) => Promise<ResultOf<R>>
}) {
  const isRead = rest.route.startsWith('GET ')
  const errors = [403, ...(rest.errors ?? [])]
  return operation<Route, R, Query, Headers, Body>({
    ...rest,
    errors,
    credentials: ['adminSecret', 'session', ...(rest.scope ? (['serverKey'] as const) : [])],
    async handle(call) {
      const { adminAccess } = call.services
      const admin = await adminAccess.authorize(call.request, call.address, {
        path: rest.route.split(' ')[1]!,
        scope: rest.scope,
      })
      call.leaveQueue()
      const isCounted = admin.userId === null && (frequent || (isRead && admin.serverKeyId !== null))
      const [only, ...others] = Object.keys(rest.responses).map(Number)
      const status = (result: unknown) => (others.length === 0 ? only! : (result as Result).status)
      const isTyped = typeof typed === 'function' ? typed : () => typed === true
      const record = {
        target: target(call.params),
        status,
        isRepeated: (result: unknown) => admin.userId !== null && isTyped(result as ResultOf<R>),
        ...(isCounted && { route: rest.route }),
      }
      return recordCall(call, admin, record, () =>
        handle({ ...call, caller: { ...admin, address: call.address } }),
      )
    },
  })
}

/**
 * Rejects an administrator whose sign-in is not recent, for calls that create access which outlives the session. The
 * admin secret needs no sign-in.
 * @throws AppError FORBIDDEN
 */
export function requireRecentAdmin({
  caller,
  services,
}: {
  caller: Administrator
  services: Services
}): void {
  if (caller.user) requireRecentSignIn(caller.user, services.clock.now())
}
