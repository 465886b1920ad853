import { AdminError } from '@pigeonhole/client/admin'
import { admin } from '../admin-client.ts'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the ID of the user with this email or external ID. An ID is returned unchanged. @throws AdminError NOT_FOUND */
export async function findUserId(emailOrId: string): Promise<string> {
  if (ID.test(emailOrId)) return emailOrId
  for (const query of [{ email: emailOrId }, { externalId: emailOrId }]) {
    const { items } = await admin.users.list({ ...query, limit: 1 })
    if (items[0]) return items[0].id
  }
  const code = 'NOT_FOUND'
  throw new AdminError(code, { body: { error: { code, message: code } } })
}
