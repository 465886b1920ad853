import type { ReactNode } from 'react'
import { MessagesLayout } from '../../../ui/messages/messages-layout.tsx'
import { currentUser } from '../../session.ts'

export default async function Layout({ children }: { children: ReactNode }) {
  // The page itself redirects to the sign-in page.
  if (!(await currentUser())) return children
  return <MessagesLayout>{children}</MessagesLayout>
}
