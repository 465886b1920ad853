import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { SessionUser } from '../server/auth/ports.ts'
import { getServices } from '../server/container.ts'

/** The user whose session cookie the page request carries, or null. */
export async function currentUser(): Promise<SessionUser | null> {
  const [requestHeaders, { authenticate, config }] = await Promise.all([headers(), getServices()])
  const cookie = requestHeaders.get('cookie')
  if (!cookie) return null
  return authenticate(new Request(config.baseUrl, { headers: { cookie } }))
}

/** Like `currentUser`, but redirects to the sign-in page, which returns to `path`. */
export async function requireUser(path: string): Promise<SessionUser> {
  const user = await currentUser()
  if (!user) redirect(path === '/' ? '/signin' : `/signin?callbackUrl=${encodeURIComponent(path)}`)
  return user
}
