import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import type { SessionUser } from '../server/auth/ports.ts'
import { getServices } from '../server/container.ts'

/** Whose session the page's request carries; null: nobody's. */
export async function currentUser(): Promise<SessionUser | null> {
  const [given, { auth, config }] = await Promise.all([headers(), getServices()])
  const cookie = given.get('cookie')
  if (!cookie) return null
  return auth.authenticate(new Request(config.baseUrl, { headers: { cookie } }))
}

/** The same where a page makes no sense without: else to the sign-in page, and back afterwards. */
export async function requireUser(path: string): Promise<SessionUser> {
  const user = await currentUser()
  if (!user) redirect(path === '/' ? '/signin' : `/signin?callbackUrl=${encodeURIComponent(path)}`)
  return user
}
