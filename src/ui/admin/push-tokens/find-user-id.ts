import { AdminError } from '@pigeonhole/client/admin'
import { admin } from '../admin-client.ts'

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** The id of the user with this email or id. @throws AdminError NOT_FOUND */
export async function findUserId(emailOrId: string): Promise<string> {
  if (ID.test(emailOrId)) return emailOrId
  const { items } = await admin.users.list({ email: emailOrId, limit: 1 })
  if (items[0]) return items[0].id
  const code = 'NOT_FOUND'
  throw new AdminError(code, { answer: { error: { code, message: code } } })
}
