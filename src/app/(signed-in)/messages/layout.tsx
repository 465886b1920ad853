import type { ReactNode } from 'react'
import { MessagesLayout } from '../../../ui/messages/messages-layout.tsx'
import { currentUser } from '../../session.ts'

export default async function Layout({ children }: { children: ReactNode }) {
  // As the layout around it: without a user the page redirects.
  if (!(await currentUser())) return children
  return <MessagesLayout>{children}</MessagesLayout>
}
