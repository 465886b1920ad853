import type { ReactNode } from 'react'
import { getServices } from '../../server/wiring/services.ts'
import { AppLayout } from '../../ui/layout/app-layout.tsx'
import { currentUser } from '../session.ts'

export default async function SignedInLayout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // The page itself redirects to the sign-in page, because it knows the path to return to.
  if (!user || user.needsPasskey) return children
  const { id, email, name, role } = user
  const { emailLinks, config } = await getServices()
  const mustVerify = await emailLinks.mustVerify(id)
  const shown = { id, email, name, isAdmin: role === 'admin', mustVerify, canSignUp: config.allowSignUp }
  return <AppLayout user={shown}>{children}</AppLayout>
}
