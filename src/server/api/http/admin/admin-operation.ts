import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import type { z } from 'zod'
import { isAppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Administrator } from '../../access/admin-access.ts'
import {
  type Description,
  type OperationCall,
  operation,
  type PathParams,
  type Responses,
  type ResultOf,
} from '../operation.ts'

type Target = { userId?: string | undefined; subjectId?: string | undefined }

/**
 * Like `operation`, for administrators. Records every authorized call in the audit log, with its status. Such an
 * operation has one response.
 */
export function adminOperation<
  const Route extends string,
  const R extends Responses,
  Query extends z.ZodObject = never,
  Body extends z.ZodType = never,
>(
  description: Omit<Description<Route, Query, never, Body, R>, 'credentials' | 'headers'> & {
    /** Target of a call, for the audit log. Default: the subject is the path parameter `id`. */
    target?: (params: PathParams<Route>) => Target
  },
  handle: (
    call: OperationCall<Route, Query, never, Body> & { caller: Administrator & { address: string } },
  ) => Promise<ResultOf<R>>,
) {
  const { target = ({ id }: { id?: string }): Target => ({ subjectId: id }), ...rest } = description
  const errors = [403, ...(rest.errors ?? [])]
  return operation<Route, R, Query, never, Body>(
    { ...rest, errors, credentials: ['adminSecret', 'session'] },
    async (call) => {
      const { adminAccess } = call.services
      const admin = await adminAccess.authorize(call.request, call.address)
      call.leaveQueue()
      let status = 500
      let created: { id?: string } | undefined
      try {
        const result = await handle({ ...call, caller: { ...admin, address: call.address } })
        status = Number(Object.keys(rest.responses)[0])
        if (status === 201) created = result as { id?: string }
        return result
      } catch (error) {
        if (isAppError(error)) status = HTTP_STATUS[error.code]
        throw error
      } finally {
        const { userId, subjectId = created?.id } = target(call.params)
        await adminAccess.record({
          actor: admin.actor,
          userId: userId !== undefined && isId(userId) ? userId : admin.userId,
          ...(subjectId !== undefined && { subjectId: storable(subjectId) }),
          address: call.address,
          details: {
            method: call.request.method,
            path: new URL(call.request.url).pathname.slice(0, 200),
            status,
          },
        })
      }
    },
  )
}

/** Makes any text of a path storable, so that every call can be recorded. */
const storable = (text: string) => text.slice(0, 100).replaceAll('\0', '\ufffd').toWellFormed()
