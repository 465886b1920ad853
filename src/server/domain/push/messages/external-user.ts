import { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'

export const externalUserId = z
  .string()
  .meta({ description: "Instead of `userId`: the user's `sub` in tokens of AUTH_JWT_ISSUER." })

/** Returns the ID of the user with this `sub` at AUTH_JWT_ISSUER, or null. */
export type FindExternalUser = (externalId: string) => Promise<string | null>

/** Format of a token's `sub`. */
const EXTERNAL_ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u

/** Returns null also for a malformed ID. */
export async function lookUpExternalUser(find: FindExternalUser, externalId: string): Promise<string | null> {
  return EXTERNAL_ID.test(externalId) ? find(externalId) : null
}

/**
 * Returns the ID of the user with this `externalUserId`. `find`: undefined without an issuer.
 * @throws AppError BAD_REQUEST without an issuer; NOT_FOUND
 */
export async function requireExternalUser(
  find: FindExternalUser | undefined,
  externalId: string,
): Promise<string> {
  if (!find) {
    const problem = 'needs AUTH_JWT_ISSUER, which this service has not set; use userId instead'
    throw new AppError('BAD_REQUEST', `The input is not valid. externalUserId: ${problem}.`, {
      fieldErrors: { externalUserId: [problem] },
    })
  }
  const id = await lookUpExternalUser(find, externalId)
  if (!id) throw new AppError('NOT_FOUND', 'User not found. Check externalUserId.')
  return id
}
