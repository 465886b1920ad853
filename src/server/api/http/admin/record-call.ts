import { HTTP_STATUS } from '@pigeonhole/client/error-codes'
import { isAppError } from '../../../kernel/errors.ts'
import { isId } from '../../../kernel/ids.ts'
import type { Administrator } from '../../access/admin-access.ts'
import type { Call } from '../endpoint.ts'

/** User or other thing that a call affects. */
export type Target = { userId?: string | undefined; subjectId?: string | undefined }

type RecordedCall = {
  target: Target
  /** Returns the status of a success. */
  status(result: unknown): number
  /** Route of a call that is counted with identical ones. Undefined: each call has its own entry. */
  route?: string
  /** Returns true for the result of a call that pages repeat while an administrator types. */
  isRepeated?(result: unknown): boolean
}

/** Runs an administrator's or a server key's call and records it in the audit log, with its status. */
export async function recordCall<T>(
  { services: { adminAccess }, request, address }: Pick<Call, 'services' | 'request' | 'address'>,
  { actor, userId: callerId }: Administrator,
  { target, status: success, route, isRepeated }: RecordedCall,
  run: () => Promise<T>,
): Promise<T> {
  let status = 500
  let created: { id?: string } | undefined
  let repeated = false
  try {
    const result = await run()
    status = success(result)
    repeated = isRepeated?.(result) ?? false
    if (status === 201) created = result as { id?: string }
    return result
  } catch (error) {
    if (isAppError(error)) status = HTTP_STATUS[error.code]
    throw error
  } finally {
    const { method, url } = request
    const { userId, subjectId = created?.id } = target
    if (route !== undefined)
      adminAccess.recordCounted({ actor, address, details: { method, path: route.split(' ')[1]!, status } })
    else
      await adminAccess[repeated ? 'recordRepeated' : 'record']({
        actor,
        userId: userId !== undefined && isId(userId) ? userId : callerId,
        ...(subjectId !== undefined && { subjectId: storable(subjectId) }),
        address,
        details: { method, path: new URL(url).pathname.slice(0, 200), status },
      })
  }
}

/** Makes any text of a path storable, so that every call can be recorded. */
const storable = (text: string) => text.slice(0, 100).replaceAll('\0', '\ufffd').toWellFormed()
