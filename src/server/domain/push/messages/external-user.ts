import { z } from 'zod'
import { AppError } from '../../../kernel/errors.ts'

export const externalUserId = z.string().meta({
  description:
    "Instead of `userId`: your app's ID for the user. With AUTH_JWT_ISSUER, the `sub` of its tokens.",
})

/** Returns the ID of the user with this `externalId`, or null. */
export type FindExternalUser = (externalId: string) => Promise<string | null>

const EXTERNAL_ID = /^[^\p{Cc}\p{Cs}]{1,255}$/u

/** Also returns null for a malformed ID. */
export async function lookUpExternalUser(find: FindExternalUser, externalId: string): Promise<string | null> {
  return EXTERNAL_ID.test(externalId) ? find(externalId) : null
}

/** Returns the ID of the user with this `externalUserId`. @throws AppError NOT_FOUND */
export async function requireExternalUser(find: FindExternalUser, externalId: string): Promise<string> {
  const id = await lookUpExternalUser(find, externalId)
  if (!id) throw new AppError('NOT_FOUND', 'User not found. Check externalUserId.')
  return id
}
