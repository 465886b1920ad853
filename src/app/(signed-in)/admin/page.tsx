import { redirect } from 'next/navigation'
import { SignInAgain } from '../../../ui/layout/sign-in-again.tsx'
import { requireAdmin } from '../../session.ts'

export default async function Page() {
  if (!(await requireAdmin('/admin'))) return <SignInAgain />
  redirect('/admin/users')
}
