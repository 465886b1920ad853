import type { ReactNode } from 'react'
import { AdminLayout } from '../../../ui/admin/admin-layout.tsx'
import { currentUser } from '../../session.ts'

export default async function Layout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // The page itself responds with "not found", or redirects to the registration of a passkey.
  return user?.role === 'admin' && !user.needsPasskey ? <AdminLayout>{children}</AdminLayout> : children
}
