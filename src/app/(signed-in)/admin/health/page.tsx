import type { DeploymentState } from '@pigeonhole/client/admin'
import { getHealth } from '../../../../server/api/http/admin/health.ts'
import { HealthPage } from '../../../../ui/admin/health/health-page.tsx'
import { FINDING_DETAILS, FINDING_TEXTS } from '../../../../ui/i18n/messages/findings.ts'
import { SignInAgain } from '../../../../ui/layout/sign-in-again.tsx'
import { adminCall } from '../../../admin-call.ts'
import { pageTitle, requestMessages } from '../../../locale.ts'
import { requireAdmin } from '../../../session.ts'

export const generateMetadata = pageTitle('admin.health.title')

export default async function Page() {
  if (!(await requireAdmin('/admin/health'))) return <SignInAgain />
  const { locale } = await requestMessages()
  const first = await adminCall<DeploymentState>(getHealth, '/health')
  return <HealthPage texts={FINDING_TEXTS[locale]} details={FINDING_DETAILS[locale]} first={first} />
}
