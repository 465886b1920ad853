import { BroadcastsPage } from '../../../../ui/admin/broadcasts/broadcasts-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.broadcasts.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/broadcasts'))) return <SignInAgain />
  return <BroadcastsPage />
}
