import type { Metadata } from 'next'
import { HealthPage } from '../../../../ui/admin/health/health-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { requestWords } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export async function generateMetadata(): Promise<Metadata> {
  return { title: (await requestWords()).t('admin.health.title') }
}

export default async function Page() {
  if (!(await requireAdmin('/admin/health'))) return <SignInAgain />
  return <HealthPage />
}
