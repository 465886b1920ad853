import { headers } from 'next/headers'
import { notFound, redirect } from 'next/navigation'
import type { SessionUser } from '../server/domain/accounts/principal.ts'
import { getServices } from '../server/wiring/services.ts'
import { sessionUser } from './session-user.ts'

/** Returns the user of the page request's session cookie, or null. */
export async function currentUser(): Promise<SessionUser | null> {
  const [requestHeaders, services] = await Promise.all([headers(), getServices()])
  return sessionUser(requestHeaders.get('cookie'), services)
}

/**
 * Like `currentUser`, but redirects to the sign-in page, which returns to `path`. Returns null if the browser fetches
 * the page into a layout that it already shows: a redirect would replace the layout and lose its uploads. In that case
 * render `SignInAgain`.
 */
export async function requireUser(path: string): Promise<SessionUser | null> {
  const [user, requestHeaders] = await Promise.all([currentUser(), headers()])
  // Nothing else works for this user, so no uploads are lost.
  if (user?.needsPasskey) redirect(`/register-passkey?callbackUrl=${encodeURIComponent(path)}`)
  if (user || requestHeaders.get('sec-fetch-dest') === 'empty') return user
  redirect(path === '/' ? '/signin' : `/signin?callbackUrl=${encodeURIComponent(path)}`)
}

/** Like `requireUser`, for administrators' pages. Other users get the "not found" page. */
export async function requireAdmin(path: string): Promise<SessionUser | null> {
  const user = await requireUser(path)
  if (user && user.role !== 'admin') notFound()
  return user
}
