import { HealthPage } from '../../../../ui/admin/health/health-page.tsx'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { pageTitle } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.health.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/health'))) return <SignInAgain />
  return <HealthPage />
}
