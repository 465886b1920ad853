import { isDeepStrictEqual } from 'node:util'
import { formatCount } from '@pigeonhole/client/format'
import type { FlatData } from '../../kernel/flat-data.ts'
import { invalidFields } from '../../kernel/validation.ts'
import type { TokenLimits } from './upload-repo.ts'

/** Combined limits of all uploads with one user token, and what each upload must have. Null: anything. */
export type UserTokenLimits = TokenLimits & { policy: string | null; data: FlatData | null }

/**
 * Fills in the token's policy and data. The input is unchecked, because the policy decides which check applies.
 * @throws AppError BAD_REQUEST if the input has a different policy or data
 */
export function fillInFromToken<T>({ policy, data }: UserTokenLimits, input: T): T {
  if (typeof input !== 'object' || input === null) return input
  const given: { policy?: unknown; data?: unknown } = input
  const fieldErrors: Record<string, string[]> = {}
  if (policy !== null && given.policy !== undefined && given.policy !== policy)
    fieldErrors.policy = [`must be ${JSON.stringify(policy)}, as in your user token, or left out`]
  if (data !== null && given.data !== undefined && !isDeepStrictEqual(given.data, data))
    fieldErrors.data = ['must be the same as in your user token, or left out']
  if (Object.keys(fieldErrors).length > 0) throw invalidFields(fieldErrors)
  return { ...input, ...(policy !== null && { policy }), ...(data !== null && { data }) }
}

/** @throws AppError BAD_REQUEST for a file that is larger than all uploads of the token together can be */
export function requireFits(token: UserTokenLimits | null, size: number): void {
  if (token?.maxBytes == null || size <= token.maxBytes) return
  throw invalidFields({
    size: [`must be at most ${formatCount(token.maxBytes, 'byte')} with this user token, not ${size}`],
  })
}
