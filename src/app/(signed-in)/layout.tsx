import type { ReactNode } from 'react'
import { Shell } from '../../ui/shell/shell.tsx'
import { currentUser } from '../session.ts'

export default async function SignedInLayout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // The page itself sends away whoever is not signed in: it knows where to come back to.
  if (!user) return children
  const { id, email, name } = user
  return <Shell person={{ id, email, name }}>{children}</Shell>
}
