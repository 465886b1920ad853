import { AdminError } from '@pigeonhole/client/admin'
import { admin } from '../admin-client.ts'

/** An ID, such as that of a user. */
export const ID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

type Query = { email: string } | { externalId: string }

/** Returns the ID of the user with this email or external ID. An ID is returned unchanged. @throws AdminError NOT_FOUND */
export async function findUserId(
  emailOrId: string,
  list = (query: Query): Promise<{ items: { id: string }[] }> => admin.users.list({ ...query, limit: 1 }),
): Promise<string> {
  if (ID.test(emailOrId)) return emailOrId
  for (const query of [{ email: emailOrId }, { externalId: emailOrId }]) {
    const { items } = await list(query)
    if (items[0]) return items[0].id
  }
  const code = 'NOT_FOUND'
  throw new AdminError(code, { body: { error: { code, message: code } } })
}
