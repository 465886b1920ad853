import type { ReactNode } from 'react'
import { AdminLayout } from '../../../ui/admin/admin-layout.tsx'
import { currentUser } from '../../session.ts'

export default async function Layout({ children }: { children: ReactNode }) {
  const user = await currentUser()
  // The page itself responds with "not found".
  return user?.role === 'admin' ? <AdminLayout>{children}</AdminLayout> : children
}
