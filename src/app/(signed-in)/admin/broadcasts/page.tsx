import type { Metadata } from 'next'
import { BroadcastsPage } from '../../../../ui/admin/broadcasts/broadcasts-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { requestWords } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('admin.broadcasts.title') }
}

export default async function Page() {
  if (!(await requireAdmin('/admin/broadcasts'))) return <SignInAgain />
  return <BroadcastsPage />
}
