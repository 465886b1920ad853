import type { Services } from '../server/api/services.ts'
import type { SessionUser } from '../server/domain/accounts/principal.ts'

/** Returns the user of the session cookie in a `Cookie` header, or null. */
export async function sessionUser(
  cookie: string | null,
  { authenticate, config }: Services,
): Promise<SessionUser | null> {
  if (!cookie) return null
  const user = await authenticate(new Request(config.baseUrl, { headers: { cookie } }))
  return user?.via === 'session' ? user : null
}
