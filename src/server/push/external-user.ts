import { AppError } from '../errors.ts'

/** The id of the user whom AUTH_JWT_ISSUER knows by this id; null: there is none. */
export type FindExternalUser = (externalId: string) => Promise<string | null>

/** What a token's `sub` may be. */
const EXTERNAL_ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u

/** Null also for what can be nobody's id. */
export async function lookUpExternalUser(find: FindExternalUser, externalId: string): Promise<string | null> {
  return EXTERNAL_ID.test(externalId) ? find(externalId) : null
}

/**
 * The user that `externalUserId` names. `find`: undefined without an issuer.
 * @throws AppError BAD_REQUEST, NOT_FOUND
 */
export async function requireExternalUser(
  find: FindExternalUser | undefined,
  externalId: string,
): Promise<string> {
  const field = (complaint: string) => ({ fieldErrors: { externalUserId: [complaint] } })
  if (!find) {
    const needs = 'needs AUTH_JWT_ISSUER, which this service has not set; give userId'
    throw new AppError('BAD_REQUEST', `The input is not valid. externalUserId: ${needs}.`, field(needs))
  }
  const id = await lookUpExternalUser(find, externalId)
  if (!id) throw new AppError('NOT_FOUND', 'There is no user with this externalUserId.')
  return id
}
