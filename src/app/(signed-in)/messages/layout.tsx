import type { ReactNode } from 'react'
import { MessagesLayout } from '../../../ui/messages/messages-layout.tsx'
import { currentUser } from '../../session.ts'

export default async function Layout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // The page itself redirects to the sign-in page or to the registration of a passkey.
  if (!user || user.needsPasskey) return children
  return <MessagesLayout>{children}</MessagesLayout>
}
