import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import type { SessionUser } from '../server/auth/ports.ts'
import { getServices } from '../server/services.ts'

/** The user whose session cookie the page request carries, or null. */
export async function currentUser(): Promise<SessionUser | null> {
  const [requestHeaders, { authenticate, config }] = await Promise.all([headers(), getServices()])
  const cookie = requestHeaders.get('cookie')
  if (!cookie) return null
  const user = await authenticate(new Request(config.baseUrl, { headers: { cookie } }))
  return user?.via === 'session' ? user : null
}

/**
 * Like `currentUser`, but redirects to the sign-in page, which returns to `path`. Null where the page is fetched for a
 * layout that is on the screen already: a redirect would replace it, and the uploads would be lost with it. Render
 * `SignInAgain` then.
 */
export async function requireUser(path: string): Promise<SessionUser | null> {
  const [user, requestHeaders] = await Promise.all([currentUser(), headers()])
  if (user || requestHeaders.get('sec-fetch-dest') === 'empty') return user
  redirect(path === '/' ? '/signin' : `/signin?callbackUrl=${encodeURIComponent(path)}`)
}

/** Like `requireUser`, for pages of administrators: other users get the page for addresses that do not exist. */
export async function requireAdmin(path: string): Promise<SessionUser | null> {
  const user = await requireUser(path)
  if (user && user.role !== 'admin') notFound()
  return user
}
