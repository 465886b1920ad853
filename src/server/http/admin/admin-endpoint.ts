import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import type { Services } from '../../container.ts'
import { isAppError } from '../../errors.ts'
import { isId } from '../../ids.ts'
import type { Administrator } from '../authentication/admin-access.ts'
import { type Answer, type Call, endpoint } from '../endpoint.ts'

export type AdminCall = Call & { admin: Administrator }

/** What a call is about, for the audit log. */
export type Target = { userId?: string; subjectId?: string }

/** As `endpoint`, for administrators. Every call that passes is in the audit log, with its answer's status. */
export function adminEndpoint(
  request: Request,
  services: Services | Promise<Services>,
  target: Target,
  handle: (call: AdminCall) => Promise<Answer>,
): Promise<Response> {
  return endpoint(request, services, async (call) => {
    const { adminAccess } = call.services
    const admin = await adminAccess.authorize(request, call.address)
    let status = 500
    try {
      const answer = await handle({ ...call, admin })
      status = answer.status
      return answer
    } catch (error) {
      if (isAppError(error)) status = HTTP_STATUS[error.code]
      throw error
    } finally {
      const { userId, subjectId } = target
      await adminAccess.record({
        actor: admin.actor,
        userId: userId !== undefined && isId(userId) ? userId : admin.userId,
        ...(subjectId !== undefined && { subjectId: storable(subjectId) }),
        address: call.address,
        details: { method: request.method, path: new URL(request.url).pathname.slice(0, 200), status },
      })
    }
  })
}

/** Whatever stood in the path: a call that cannot be stored would not be in the audit log. */
const storable = (text: string) => text.slice(0, 100).replaceAll('\0', '\ufffd').toWellFormed()

/** The parameters of the query, of each the last one. */
export const queryOf = (request: Request): Record<string, string> =>
  Object.fromEntries(new URL(request.url).searchParams)
